/// A destination of events, for example a broker of MQTT.
///
/// ``EventOutbox`` calls these functions in order, and repeats a call that throws ``EventError/unreachable(destination:reason:retryAfter:)``
/// or ``EventError/unwritable(path:reason:)``.
public protocol EventTransport: Sendable {
    /// The name of the destination in messages, without secrets.
    var destination: String { get }

    /// The largest number of events in a call of ``deliver(_:)``.
    var batchLimit: Int { get }

    /// Delivers events, in their order, and returns when the destination has them.
    ///
    /// - Throws: `EventError.unreachable`, `.unwritable` or `.refused`. After an error, the destination may have some of the events.
    ///   If a refusal says that a part of the events may be accepted, the outbox delivers them in smaller parts.
    func deliver(_ events: [CameraEvent]) async throws(EventError)

    /// Shows the state of a camera in place of its earlier state.
    ///
    /// - Throws: `EventError.unreachable` or `.refused`.
    func show(_ state: CameraState) async throws(EventError)

    /// Shows the picture of a camera's last event in place of its earlier picture.
    ///
    /// - Parameters:
    ///   - picture: a JPEG, which the destination may need smaller.
    ///   - camera: the name of the camera.
    /// - Throws: `EventError.unreachable` to be called again with this picture or a newer one, `.refused` to drop it.
    func show(picture: [UInt8], of camera: String) async throws(EventError)

    /// Removes everything that the destination keeps of a removed camera.
    ///
    /// - Throws: `EventError.unreachable` or `.refused`.
    func retire(_ camera: String) async throws(EventError)

    /// The names of the cameras of which the destination keeps something, also from earlier runs, as far as the transport knows them.
    func keptCameras() async -> Set<String>

    /// Restores a connection that was lost. The outbox calls this every few seconds while it has nothing to deliver.
    ///
    /// - Throws: `EventError.unreachable` or `.refused`.
    func maintain() async throws(EventError)

    /// Ends all connections. The outbox calls this once, at the end.
    func close() async
}

/// Transports without state and connections.
extension EventTransport {
    /// Up to 100 events.
    public var batchLimit: Int { 100 }

    /// Ignores the state.
    public func show(_ state: CameraState) async throws(EventError) {}

    /// Ignores the picture.
    public func show(picture: [UInt8], of camera: String) async throws(EventError) {}

    /// Does nothing.
    public func retire(_ camera: String) async throws(EventError) {}

    /// No cameras.
    public func keptCameras() async -> Set<String> { [] }

    /// Does nothing.
    public func maintain() async throws(EventError) {}

    /// Does nothing.
    public func close() async {}
}
