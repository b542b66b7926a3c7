import DurableFiles
import Foundation
import Synchronization

/// The address of the hub that serves a folder, in a file of the folder, for commands on the same machine.
///
/// The serving hub holds the file's lock, which ends with its process. An address that a killed hub left is not used.
final class ServingAddress: Sendable {
    private let file: URL
    private let lock = Mutex<FileLock?>(nil)

    /// - Parameter folder: the folder of the hub.
    init(in folder: URL) { file = Self.file(in: folder) }

    private static func file(in folder: URL) -> URL { folder.appending(path: "serving-address") }

    /// Writes the address. Has no effect if another hub serves the folder.
    ///
    /// - Throws: ``DurableFileError``, or an error of Foundation, if the file cannot be written.
    func begin(_ address: String) async throws {
        // A command that looks at an address that a killed hub left has the lock for a moment.
        for attempt in 1...5 {
            if let taken = try FileLock.takenIfFree(file.path) {
                // In place, because the lock belongs to the file and not to its name.
                try Data("\(address)\n".utf8).write(to: file)
                return lock.withLock { $0 = taken }
            }
            if attempt < 5 { try await Task.sleep(for: .milliseconds(20)) }
        }
    }

    /// Removes the file, if this hub wrote it.
    func end() {
        lock.withLock { lock in
            guard lock != nil else { return }
            try? FileManager.default.removeItem(at: file)
            lock = nil
        }
    }

    /// The address of the hub that serves a folder now; nil if none does.
    static func current(in folder: URL) -> String? {
        let file = file(in: folder)
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
        do {
            // A process that gets the lock knows that no hub serves.
            guard try FileLock.takenIfFree(file.path) == nil else { return nil }
        } catch {
            return nil
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The address at which a browser on the same machine finds a server.
    ///
    /// - Parameters:
    ///   - scheme: `http` or `https`.
    ///   - host: the address at which the server listens.
    ///   - port: its port.
    static func local(_ scheme: String, _ host: String, _ port: Int) -> String {
        let name =
            switch host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "[::1]"
            default: host.contains(":") ? "[\(host)]" : host
            }
        return "\(scheme)://\(name):\(port)"
    }
}
