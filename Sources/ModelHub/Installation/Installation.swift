import DurableFiles
import Foundation
import SightlineLocks

/// The identity of this installation of the app: a permanent id, and a token that lives as long as its manager.
final class Installation: Sendable {
    private let id: InstallationID
    private let files = FileQueue()
    private let content = Mutex<String?>(nil)

    init(folder: URL) { id = InstallationID(folder: folder) }

    /// The permanent id, which the first use creates.
    func idText() async throws(HubFailure) -> String {
        do throws(DurableFileError) {
            return try await files.run { [id] () throws(DurableFileError) in try id.text() }
        } catch {
            throw .file(error)
        }
    }

    var token: String? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
