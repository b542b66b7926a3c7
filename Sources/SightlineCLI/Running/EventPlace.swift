import Foundation
import SightlineEvents

/// A destination of events, before it is opened.
struct EventPlace: Sendable {
    /// The name in messages, without secrets.
    let name: String
    /// The kind and all settings. A destination that stays equal continues undisturbed when a file of cameras is read again.
    let identity: [String]
    /// The folder of events that wait; nil to keep them in memory.
    let folder: URL?
    /// The cameras whose events go there; nil for all.
    var cameras: Set<String>?
    /// Whether it shows pictures of events.
    var wantsPictures = false
    /// Whether it shows cameras as devices, which stay until they are taken back.
    var showsDevices = false
    let transport: any EventTransport

    func isSame(as other: EventPlace) -> Bool { identity == other.identity && folder == other.folder }

    /// Whether this destination's content stays visible after another one has replaced it.
    func isFollowed(by other: EventPlace) -> Bool {
        name == other.name && (other.showsDevices || !showsDevices)
    }

    func takes(_ camera: String) -> Bool { cameras?.contains(camera) ?? true }
}
