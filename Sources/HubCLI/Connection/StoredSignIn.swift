import DurableFiles
import Foundation

/// The sign-in of this user at a hub on the network, in a file that only the user can read. Without `async`: the functions wait for
/// the disk.
struct StoredSignIn {
    private let file: URL
    private let hub: String

    private struct Content: Codable {
        var hub: String
        var token: String
    }

    /// - Parameter address: The hub's address, with or without a slash at its end.
    init(of address: String) {
        hub = (address.hasSuffix("/") ? String(address.dropLast()) : address).lowercased()
        let name = SHA256.hexadecimalDigest(of: Data(hub.utf8)).prefix(16)
        file = UserDataFolder.ofUser().appending(path: "sightline/sign-ins/\(name).json")
    }

    /// The token; nil if the user is not signed in.
    func token() throws(CommandError) -> String? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        guard let data = try? Data(contentsOf: file), let content = try? JSONDecoder().decode(Content.self, from: data),
            content.hub == hub
        else {
            throw CommandError("\(file.path) cannot be read; sign in again with `sightline hub sign-in --hub \(hub)`.")
        }
        return content.token
    }

    /// Stores a token in place of the former one.
    func store(_ token: String) throws {
        try DurableFile.makeFolder(file.deletingLastPathComponent(), permissions: 0o700)
        let data = try JSONEncoder().encode(Content(hub: hub, token: token))
        try DurableFile.write(data, to: file, permissions: 0o600)
    }

    /// Removes the token.
    func remove() throws { try FileManager.default.removeItem(at: file) }
}
