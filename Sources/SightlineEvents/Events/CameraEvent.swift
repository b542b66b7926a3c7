public import Foundation
public import Sightline
import Synchronization

/// An event of a camera, with the date on which it happened: what leaves the program.
///
/// ```swift
/// for event in history.update(analyzed.result) {
///     await outbox.publish([CameraEvent(camera: "door", event: event, date: beginning + event.time.seconds)])
/// }
/// ```
public struct CameraEvent: Sendable, Hashable, Codable {
    /// The name of the camera.
    public var camera: String
    /// The event, with its time in the stream.
    public var event: StreamEvent
    /// The date on which the event happened.
    public var date: Date
    /// A text that no other event has, so that a receiver can drop a repetition. Later events of a program have greater numbers
    /// after the hyphen.
    public var id: String

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - camera: the name of the camera.
    ///   - event: the event, with its time in the stream.
    ///   - date: the date on which the event happened.
    ///   - id: a text that no other event has; by default a random text of this process, a hyphen and a number.
    public init(camera: String, event: StreamEvent, date: Date, id: String = CameraEvent.nextID()) {
        (self.camera, self.event, self.date, self.id) = (camera, event, date, id)
    }

    /// A text that no other event has, of this process or of another one.
    public static func nextID() -> String {
        "\(start)-\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
    }

    /// The random part of the ids of this process.
    private static let start = String(UInt64.random(in: .min ... .max), radix: 16)
    private static let count = Atomic<Int>(0)
}
