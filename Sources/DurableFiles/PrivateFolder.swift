import Foundation

/// Temporary folders for files with secrets.
package enum PrivateFolder {
    /// Calls a body with a new temporary folder that only its owner can enter, and removes the folder afterward.
    package static func with<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sightline-\(UUID())")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}
