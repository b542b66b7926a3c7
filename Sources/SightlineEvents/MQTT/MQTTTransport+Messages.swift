import TextFormatting

/// The messages of a camera, and the entities that Home Assistant knows.
extension MQTTTransport {
    func availability(_ isAvailable: Bool, of camera: String) -> MQTTMessage {
        MQTTMessage(
            address.topic(ofCamera: camera) + "/availability",
            isAvailable ? "online" : "offline",
            isRetained: true
        )
    }

    func stateMessage(_ state: CameraState) -> MQTTMessage {
        var json = JSONText()
        json.state(state)
        return MQTTMessage(address.topic(ofCamera: state.camera) + "/state", json.text, isRetained: true)
    }

    func pictureMessage(_ picture: [UInt8], of camera: String) -> MQTTMessage {
        MQTTMessage(address.topic(ofCamera: camera) + "/image", picture, isRetained: true)
    }

    func device(of camera: String, _ known: Camera) -> HomeAssistantDevice {
        HomeAssistantDevice(
            known.state ?? CameraState(camera: camera),
            hasPicture: known.picture != nil,
            address: address
        )
    }

    /// The entities of a camera for Home Assistant, by the topics that announce them.
    func entities(of camera: String) -> [String: String] {
        guard let prefix = options.discoveryPrefix, let known = cameras[camera], known.state != nil else { return [:] }
        return device(of: camera, known).entities(below: prefix)
    }

    /// The topics at which the broker announces entities that the camera no longer has, also from earlier runs.
    func ghosts(of camera: String) -> Set<String> {
        guard let known = cameras[camera], known.state != nil else { return [] }
        guard let prefix = options.discoveryPrefix else { return known.outdated }
        return device(of: camera, known).ghosts(
            among: known.announced.union(known.connection?.retained ?? []).union(known.outdated),
            below: prefix,
            sendsPictures: options.pictureLimit > 0
        )
    }

    /// The topics with messages of a camera that neither this run nor the camera's device uses.
    func outdatedTopics(of camera: String) async -> Set<String> {
        let topic = address.topic(ofCamera: camera) + "/"
        return await retained.topics(of: camera).filter { !$0.hasPrefix(topic) }
    }

    /// Announces the entities that Home Assistant does not know yet, and removes those that are gone.
    func announcement(of camera: String, _ gone: Set<String>) -> [MQTTMessage] {
        let announced = cameras[camera]?.announced ?? []
        var gone = gone.sorted()
        if options.discoveryPrefix != nil, options.pictureLimit == 0, announced.isEmpty {
            gone.append(address.topic(ofCamera: camera) + "/image")
        }
        let new = entities(of: camera).filter { !announced.contains($0.key) }.sorted { $0.key < $1.key }
        return (gone.map { ($0, "") } + new.map { ($0.key, $0.value) })
            .map { MQTTMessage($0, $1, isRetained: true) }
    }
}
