import CMosquitto
public import Foundation
import TextFormatting

/// Publishes the events, states and pictures of cameras at a broker of MQTT.
///
/// Topics below `PREFIX/CAMERA`: `events` has each event once or more often (QoS 1); `state`, `availability` (`online` or `offline`)
/// and `image` (a JPEG) are retained. Each camera has a connection of its own, because MQTT has one last will for each connection: the
/// broker publishes `offline` if the connection ends without a word.
public actor MQTTTransport: EventTransport {
    /// The settings of a transport.
    public struct Options: Sendable, Hashable {
        /// The password, if any.
        public var password: String?
        /// A file with the certificates of the authorities that may sign for the broker, in PEM; nil for those of the system.
        public var authorities: URL?
        /// The topic below which Home Assistant looks for devices, there `homeassistant` by default; nil to announce no devices.
        public var discoveryPrefix: String?
        /// The time in which the broker has to answer.
        public var timeout: Duration

        /// Creates the settings of a transport.
        public init(
            password: String? = nil,
            authorities: URL? = nil,
            discoveryPrefix: String? = nil,
            timeout: Duration = .seconds(10)
        ) {
            self.password = password
            self.authorities = authorities
            self.discoveryPrefix = discoveryPrefix
            self.timeout = timeout
        }
    }

    private struct Camera {
        var connection: MQTTConnection?
        var state: CameraState?
        var picture: [UInt8]?
        /// The topics of the entities that Home Assistant knows.
        var announced: Set<String> = []
    }

    /// The address of the broker.
    public nonisolated let address: MQTTAddress
    private let options: Options
    private var cameras: [String: Camera] = [:]

    /// Creates a transport. It connects when there is something to deliver.
    ///
    /// - Throws: `EventError.unavailable` if libmosquitto cannot be used.
    public init(_ address: MQTTAddress, options: Options = Options()) throws(EventError) {
        if let problem = cmosquitto_load() {
            throw .unavailable(reason: String(cString: problem), package: "libmosquitto1")
        }
        (self.address, self.options) = (address, options)
    }

    /// The address without the user.
    public nonisolated var destination: String { address.description }

    /// Publishes events, and returns when the broker has acknowledged all of them.
    public func deliver(_ events: [CameraEvent]) async throws(EventError) {
        var rest = events[...]
        while let camera = rest.first?.camera {
            // Events of a camera keep their order; cameras have none among each other.
            let own = rest.filter { $0.camera == camera }
            rest.removeAll { $0.camera == camera }
            let topic = address.topic(ofCamera: camera) + "/events"
            let messages = own.map { event in
                var json = JSONText()
                json.event(event)
                return MQTTConnection.Message(topic, json.text)
            }
            let connection = try await connection(of: camera)
            try await publish(messages, over: connection)
        }
    }

    /// Publishes the state of a camera, and whether it is available, both retained.
    public func show(_ state: CameraState, picture: [UInt8]?) async throws(EventError) {
        let camera = state.camera
        let earlier = cameras[camera, default: Camera()]
        cameras[camera, default: Camera()].state = state
        if let picture { cameras[camera]?.picture = picture }
        guard let connection = earlier.connection, connection.isOpen else {
            // A new connection begins with the state.
            _ = try await self.connection(of: camera)
            return
        }
        var messages = announcement(of: camera)
        if (earlier.state?.isAvailable ?? true) != state.isAvailable {
            messages.append(availability(state.isAvailable, of: camera))
        }
        messages.append(stateMessage(state))
        if let picture { messages.append(pictureMessage(picture, of: camera)) }
        try await publish(messages, over: connection)
        noteAnnouncement(of: camera)
    }

    /// Connects again where a connection is lost.
    public func maintain() async throws(EventError) {
        for (name, camera) in cameras where camera.connection?.isOpen == false { _ = try await connection(of: name) }
    }

    /// Publishes that the cameras are offline, and disconnects.
    public func close() async {
        for (name, camera) in cameras {
            guard let connection = camera.connection, connection.isOpen else { continue }
            // The last will says the same if this fails.
            do throws(MQTTConnection.Failure) {
                try await connection.publish([availability(false, of: name)], within: min(options.timeout, .seconds(2)))
            } catch { continue }
            connection.disconnect()
        }
        cameras = [:]
    }

    /// The open connection of a camera, or a new one that has published all that is retained.
    private func connection(of camera: String) async throws(EventError) -> MQTTConnection {
        if let connection = cameras[camera]?.connection, connection.isOpen { return connection }
        let connection = MQTTConnection(address, options, will: availability(false, of: camera))
        do throws(MQTTConnection.Failure) {
            try await connection.open(within: options.timeout)
        } catch {
            throw eventError(error)
        }
        cameras[camera, default: Camera()].connection = connection
        // A broker may have lost all that it retained.
        cameras[camera]?.announced = []
        var messages = announcement(of: camera)
        let state = cameras[camera]?.state
        messages.append(availability(state?.isAvailable ?? true, of: camera))
        if let state { messages.append(stateMessage(state)) }
        if let picture = cameras[camera]?.picture { messages.append(pictureMessage(picture, of: camera)) }
        do throws(EventError) {
            try await publish(messages, over: connection)
        } catch .refused(let destination, let reason) {
            // Events may still be welcome, over the connection that stands.
            throw .unreachable(destination: destination, reason: reason)
        }
        noteAnnouncement(of: camera)
        return connection
    }

    private func publish(_ messages: [MQTTConnection.Message], over connection: MQTTConnection) async throws(EventError)
    {
        do throws(MQTTConnection.Failure) {
            try await connection.publish(messages, within: options.timeout)
        } catch {
            throw eventError(error)
        }
    }

    private func eventError(_ failure: MQTTConnection.Failure) -> EventError {
        switch failure {
        case .away(let reason): .unreachable(destination: destination, reason: reason)
        case .refused(let reason): .refused(destination: destination, reason: reason)
        }
    }

    // MARK: - Messages

    private func availability(_ isAvailable: Bool, of camera: String) -> MQTTConnection.Message {
        MQTTConnection.Message(
            address.topic(ofCamera: camera) + "/availability",
            isAvailable ? "online" : "offline",
            isRetained: true
        )
    }

    private func stateMessage(_ state: CameraState) -> MQTTConnection.Message {
        var json = JSONText()
        json.state(state)
        return MQTTConnection.Message(address.topic(ofCamera: state.camera) + "/state", json.text, isRetained: true)
    }

    private func pictureMessage(_ picture: [UInt8], of camera: String) -> MQTTConnection.Message {
        MQTTConnection.Message(address.topic(ofCamera: camera) + "/image", picture, isRetained: true)
    }

    /// The entities of a camera for Home Assistant, by the topics that announce them.
    private func entities(of camera: String) -> [String: String] {
        guard let prefix = options.discoveryPrefix, let known = cameras[camera], let state = known.state else {
            return [:]
        }
        return HomeAssistantDevice(state, hasPicture: known.picture != nil, address: address).entities(below: prefix)
    }

    /// Announces the entities that Home Assistant does not know yet, and takes back those that are gone.
    private func announcement(of camera: String) -> [MQTTConnection.Message] {
        let entities = entities(of: camera)
        let announced = cameras[camera]?.announced ?? []
        let gone = announced.subtracting(entities.keys).sorted().map { ($0, "") }
        let new = entities.filter { !announced.contains($0.key) }.sorted { $0.key < $1.key }
        return (gone + new.map { ($0.key, $0.value) }).map { MQTTConnection.Message($0, $1, isRetained: true) }
    }

    private func noteAnnouncement(of camera: String) {
        let topics = Set(entities(of: camera).keys)
        cameras[camera]?.announced = topics
    }
}
