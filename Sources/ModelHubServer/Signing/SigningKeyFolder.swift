import DurableFiles
import Foundation

/// The private parts of keys that the hub keeps, `signing/ID.pem` in its data folder, which only its owner can read.
///
/// They are in no database and in no backup: a copy of those must not be able to sign.
struct SigningKeyFolder: Sendable {
    let folder: URL

    private func file(of id: String) -> URL { folder.appending(path: "\(id).pem") }

    /// Whether the hub keeps the private part of a key.
    func contains(_ id: String) -> Bool { SystemCalls.isRegularFile(file(of: id)) }

    /// Keeps the private part of a key, durably.
    func add(_ key: SigningKey) throws(HubError) {
        try SystemCalls.makeFolder(folder)
        try SystemCalls.replace(file(of: key.id), with: Data(key.pem.utf8))
    }

    /// The private part of a key; nil if this hub does not keep it.
    ///
    /// - Throws: `.dataLoss` if the file is not that of the key.
    func key(_ id: String) throws(HubError) -> SigningKey? {
        guard contains(id) else { return nil }
        guard let text = try? String(contentsOf: file(of: id), encoding: .utf8), let key = try? SigningKey(pem: text),
            key.id == id
        else {
            throw HubError(
                .dataLoss,
                "The private part of the signing key \(id.prefix(12)) cannot be read; put the file signing/\(id).pem back into the hub's data "
                    + "folder, or revoke the key."
            )
        }
        return key
    }

    /// Removes the private part of a key, if the hub keeps it.
    func remove(_ id: String) { unlink(file(of: id).path) }
}
