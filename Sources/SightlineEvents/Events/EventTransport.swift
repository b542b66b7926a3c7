/// A destination of events, for example a broker of MQTT.
///
/// ``EventOutbox`` calls these functions one after the other, and repeats a call that throws ``EventError/unreachable(destination:reason:retryAfter:)``.
public protocol EventTransport: Sendable {
    /// The name of the destination in messages, without secrets.
    var destination: String { get }

    /// The largest number of events in a call of ``deliver(_:)``.
    var batchLimit: Int { get }

    /// Delivers events, in their order, and returns when the destination has them.
    ///
    /// - Throws: `EventError.unreachable` or `.refused`. After an error, the destination may have some of the events.
    func deliver(_ events: [CameraEvent]) async throws(EventError)

    /// Shows the state of a camera in place of its earlier state.
    ///
    /// - Parameters:
    ///   - state: the state.
    ///   - picture: a JPEG of the last event; nil to keep the earlier picture.
    /// - Throws: `EventError.unreachable` or `.refused`.
    func show(_ state: CameraState, picture: [UInt8]?) async throws(EventError)

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
    public func show(_ state: CameraState, picture: [UInt8]?) async throws(EventError) {}

    /// Does nothing.
    public func maintain() async throws(EventError) {}

    /// Does nothing.
    public func close() async {}
}
