public import Foundation
import TextFormatting
import WebTransfer

/// Publishes the events, states and pictures of cameras at a broker of MQTT.
///
/// Topics below `PREFIX/CAMERA`: `events` has each event once or more often (QoS 1); `state`, `availability` (`online` or `offline`)
/// and `image` (a JPEG) are retained. Each camera has its own connection, because MQTT has one last will for each connection: the
/// broker publishes `offline` if the connection breaks.
///
/// A broker of MQTT 3.1.1 does not refuse a message that is too large or not allowed: it ends the connection. So messages of different
/// kinds never depend on each other. A connection begins with the availability alone. A picture with which the connection was lost is
/// dropped, and later ones are made smaller; a state or an event is refused after some losses, each right after the broker had accepted
/// another message. A broker of MQTT 5 states its limit, to which pictures are fitted at once.
public actor MQTTTransport: EventTransport {
    /// The settings of a transport.
    public struct Options: Sendable, Hashable {
        /// The password, if any.
        public var password: String?
        /// A file with the certificates of the authorities that may sign for the broker, in PEM; nil for those of the system.
        public var authorities: URL?
        /// The topic below which Home Assistant looks for devices, there `homeassistant` by default; nil to announce no devices.
        public var discoveryPrefix: String?
        /// The largest picture in bytes; 0 for no pictures, which removes those of earlier runs. Larger pictures are made smaller, and
        /// no side has more than 1,280 pixels.
        public var pictureLimit: Int
        /// The time in which the broker has to answer.
        public var timeout: Duration
        /// A file for the topics at which the broker retains messages, by which a later run finds those of cameras that are gone; nil for
        /// none. The file has one transport at a time.
        public var topicsFile: URL?

        /// A limit of pictures in bytes that is below those of usual brokers, of which some take no more than 128 kB.
        public static let standardPictureLimit = 100_000

        /// Creates the settings of a transport.
        public init(
            password: String? = nil,
            authorities: URL? = nil,
            discoveryPrefix: String? = nil,
            pictureLimit: Int = standardPictureLimit,
            timeout: Duration = .seconds(10),
            topicsFile: URL? = nil
        ) {
            self.password = password
            self.authorities = authorities
            self.discoveryPrefix = discoveryPrefix
            self.pictureLimit = pictureLimit
            self.timeout = timeout
            self.topicsFile = topicsFile
        }
    }

    /// The address of the broker.
    public nonisolated let address: MQTTAddress
    let options: Options
    let retained: RetainedTopics
    var cameras: [String: Camera] = [:]
    private var isClosed = false
    /// The largest picture that the broker seems to take, in bytes, and the end of this belief.
    var learnedLimit: (bytes: Int, end: ContinuousClock.Instant)?

    /// The time without states after connections were lost with them.
    private static let restTime = Duration.seconds(300)

    /// Creates a transport. It connects when there is something to deliver.
    ///
    /// - Throws: `EventError.unavailable` if libcurl cannot be used.
    public init(_ address: MQTTAddress, options: Options = Options()) throws(EventError) {
        if let problem = NetworkStream.problem { throw .unavailable(reason: problem, package: "libcurl4") }
        (self.address, self.options, retained) = (address, options, RetainedTopics(options.topicsFile))
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
                return MQTTMessage(topic, json.text)
            }
            let connection = try await connection(of: camera)
            try await send(messages, .event, isPart: events.count > 1, of: camera, over: connection)
        }
    }

    /// Publishes the state of a camera, and whether it is available, both retained.
    public func show(_ state: CameraState) async throws(EventError) {
        let camera = state.camera
        let labels = cameras[camera]?.state?.things.map(\.labels)
        cameras[camera, default: Camera()].state = state
        cameras[camera]?.hasState = false
        if labels != state.things.map(\.labels) {
            // Sensors of things are announced again with their other labels.
            let sensors = entities(of: camera).keys.filter(HomeAssistantDevice.announcesThing)
            cameras[camera]?.announced.subtract(sensors)
        }
        let connection = try await connection(of: camera)
        var messages: [MQTTMessage] = []
        if cameras[camera]?.isAvailable != state.isAvailable {
            messages.append(availability(state.isAvailable, of: camera))
            cameras[camera]?.isAvailable = state.isAvailable
        }
        if let rest = cameras[camera]?.rest, rest > .now {
            if !messages.isEmpty { try await send(messages, .state, of: camera, over: connection) }
            return
        }
        subscribe(connection, of: camera)
        let gone = ghosts(of: camera)
        messages = announcement(of: camera, gone) + messages + [stateMessage(state)]
        // A refused message is not sent again over this connection.
        let announced = Set(entities(of: camera).keys)
        cameras[camera]?.announced = announced
        cameras[camera]?.outdated = []
        cameras[camera]?.hasState = true
        connection.forgetRetained(gone)
        try await send(messages, .state, of: camera, over: connection)
        if let refusal = cameras[camera]?.refusal {
            cameras[camera]?.refusal = nil
            throw .refused(destination: destination, reason: refusal)
        }
    }

    /// Publishes empty retained messages in place of all that is retained of a camera, and ends its connection.
    public func retire(_ camera: String) async throws(EventError) {
        let connection = try await connection(of: camera)
        subscribe(connection, of: camera)
        // The answer shows that earlier entities have arrived.
        try await send([availability(false, of: camera)], .state, of: camera, over: connection)
        let topic = address.topic(ofCamera: camera)
        let own = ["image", "state", "availability"].map { "\(topic)/\($0)" }
        let topics = Set(entities(of: camera).keys).union(cameras[camera]?.announced ?? []).union(connection.retained)
            .union(await retained.topics(of: camera)).subtracting(own)
        try await send(
            (topics.sorted() + own).map { MQTTMessage($0, "", isRetained: true) },
            .state,
            of: camera,
            over: connection
        )
        connection.disconnect()
        cameras[camera] = nil
    }

    /// The cameras with retained messages, also those of earlier runs with the same file of topics.
    public func keptCameras() async -> Set<String> { await retained.cameras }

    /// Reconnects lost connections, and publishes what the broker may have lost.
    public func maintain() async throws(EventError) {
        var refusal: EventError?
        for name in cameras.keys.sorted() where cameras[name]?.connection != nil {
            do throws(EventError) {
                try await maintain(name)
            } catch {
                guard case .refused = error else { throw error }
                refusal = refusal ?? error
            }
        }
        if let refusal { throw refusal }
    }

    private func maintain(_ camera: String) async throws(EventError) {
        let connection = try await connection(of: camera)
        if let state = cameras[camera]?.state, cameras[camera]?.hasState == false || !ghosts(of: camera).isEmpty {
            try await show(state)
        }
        try await restorePicture(of: camera, over: connection)
    }

    /// Publishes that the cameras are offline, and disconnects.
    public func close() async {
        isClosed = true
        let limit = min(options.timeout, .seconds(2))
        await withTaskGroup(of: Void.self) { group in
            for (name, camera) in cameras {
                guard let connection = camera.connection else { continue }
                let message = availability(false, of: name)
                group.addTask { [address, options] in
                    if await Self.end(connection, with: message, within: limit) { return }
                    // A broker that was started again knows no last will, and may have kept that the camera is online.
                    let another = MQTTConnection(address, options, will: message)
                    do throws(MQTTFailure) { try await another.open(within: limit) } catch { return }
                    _ = await Self.end(another, with: message, within: limit)
                }
            }
        }
        cameras = [:]
    }

    /// Publishes a last message, and disconnects.
    private static func end(
        _ connection: MQTTConnection,
        with message: MQTTMessage,
        within limit: Duration
    ) async -> Bool {
        do throws(MQTTFailure) { try await connection.publish([message], within: limit) } catch {
            return false
        }
        connection.disconnect()
        return true
    }

    /// The open connection of a camera, or a new one that has published the availability.
    func connection(of camera: String) async throws(EventError) -> MQTTConnection {
        if let connection = cameras[camera]?.connection, connection.isOpen { return connection }
        let will = availability(false, of: camera)
        let connection = MQTTConnection(address, options, will: will)
        await retained.add([will.topic], of: camera)
        let outdated = await outdatedTopics(of: camera)
        do throws(MQTTFailure) {
            try await connection.open(within: options.timeout)
        } catch {
            throw eventError(error)
        }
        try checkOpen(connection)
        var known = cameras[camera, default: Camera()]
        known.connection = connection
        // A broker may have lost all that it retained.
        (known.hasState, known.hasPicture, known.isSubscribed) = (false, false, false)
        (known.announced, known.outdated) = ([], outdated)
        known.isAvailable = known.state?.isAvailable ?? true
        known.refusal = nil
        cameras[camera] = known
        do throws(MQTTFailure) {
            try await connection.publish([availability(known.isAvailable, of: camera)], within: options.timeout)
        } catch {
            // Events may still be welcome.
            guard case .refused(let reason, _) = error else { throw eventError(error) }
            cameras[camera]?.refusal = reason
        }
        try checkOpen(connection)
        return connection
    }

    /// Ends a connection that was opened while the transport was closed: otherwise it would stay open, and its camera would stay online.
    private func checkOpen(_ connection: MQTTConnection) throws(EventError) {
        guard isClosed else { return }
        connection.disconnect()
        throw .unreachable(destination: destination, reason: "the transport is closed")
    }

    /// Asks once for the entities that earlier runs have announced. After a connection was lost with the state, it does not, because a broker
    /// may forbid that.
    private func subscribe(_ connection: MQTTConnection, of camera: String) {
        guard let prefix = options.discoveryPrefix, var known = cameras[camera], !known.isSubscribed,
            known.losses[.state, default: 0] == 0
        else { return }
        known.isSubscribed = true
        cameras[camera] = known
        connection.subscribe(to: device(of: camera, known).topics(below: prefix))
    }

    /// Publishes messages.
    ///
    /// - Parameters:
    ///   - kind: the kind of the messages, which are refused after too many lost connections in a row.
    ///   - isPart: whether the messages are a part of more, which the outbox divides once a connection is lost with them.
    func send(
        _ messages: [MQTTMessage],
        _ kind: Kind,
        isPart: Bool = false,
        of camera: String,
        over connection: MQTTConnection
    ) async throws(EventError) {
        let kept = messages.filter(\.isRetained)
        await retained.add(Set(kept.filter { !$0.payload.isEmpty }.map(\.topic)), of: camera)
        do throws(MQTTFailure) {
            try await connection.publish(messages, within: options.timeout)
        } catch {
            guard case .away(let reason) = error else { throw eventError(error, isEvent: kind == .event) }
            let losses = (cameras[camera]?.losses[kind] ?? 0) + 1
            if !isPart {
                cameras[camera]?.losses[kind] = losses
                guard losses >= kind.mostLosses else { throw eventError(error) }
                if kind == .state { cameras[camera]?.rest = ContinuousClock.now + Self.restTime }
                if kind == .event { cameras[camera]?.losses[kind] = nil }
            }
            let size = messages.map(\.payload.count).max() ?? 0
            throw .refused(
                destination: destination,
                reason:
                    "the connection was lost with a message of \(size) bytes at \(messages.last?.topic ?? "") (\(reason)); "
                    + "it may be larger than the broker takes, or not be allowed",
                mayAcceptFewer: true
            )
        }
        await retained.remove(Set(kept.filter(\.payload.isEmpty).map(\.topic)), of: camera)
        cameras[camera]?.losses[kind] = nil
    }

    private func eventError(_ failure: MQTTFailure, isEvent: Bool = false) -> EventError {
        switch failure {
        case .away(let reason): .unreachable(destination: destination, reason: reason)
        case .refused(let reason, let isTooLarge):
            .refused(destination: destination, reason: reason, mayAcceptFewer: isEvent || isTooLarge)
        }
    }
}
