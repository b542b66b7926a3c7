import Foundation
import SightlineLocks

/// The identity of this installation of the app: a permanent id, and a token that lives as long as its manager.
final class Installation: Sendable {
    let id: InstallationID
    private let content = Mutex<String?>(nil)

    init(folder: URL) { id = InstallationID(folder: folder) }

    var token: String? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
