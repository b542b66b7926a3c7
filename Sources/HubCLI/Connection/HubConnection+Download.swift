import Foundation
import ModelHubServer

extension HubConnection {
    /// Downloads a published model as clients do. What comes is compared with the hash that the hub says, and replaces a file of
    /// the name only when it is whole.
    func downloadModel(_ name: String, to target: URL) async throws {
        let reply: Data
        do {
            reply = try await send(.get, models(name, verb: ":download"))
        } catch let error as CommandError {
            throw CommandError(
                "\(name) cannot be downloaded: \(error) `sightline hub list` shows what is published."
            )
        }
        let info = try JSONDecoder().decode(HubDownloadInfo.self, from: reply)
        let part = target.appendingPathExtension("part")
        defer { try? FileManager.default.removeItem(at: part) }
        try await fetch(info.downloadUri, to: part)
        let found = try FileHash.read(part.path)
        // The hash is a part of every address that a hub gives out.
        guard info.downloadUri.contains("/\(found.hash)/"), "\(found.byteCount)" == info.sizeBytes else {
            throw CommandError("What came is not the model that the hub announced; try again.")
        }
        guard rename(part.path, target.path) == 0 else {
            throw CommandError("\(target.path) cannot be written; check the folder's permissions.")
        }
    }
}
