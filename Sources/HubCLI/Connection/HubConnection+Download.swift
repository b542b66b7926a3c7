import Foundation
import ModelHubServer

extension HubConnection {
    /// Downloads a published model as clients do. A download whose hash does not match is refused, and an existing file is replaced
    /// only by a complete download.
    func downloadModel(_ name: String, to target: URL) async throws {
        let reply: Data
        do {
            reply = try await send(.get, models(name, verb: ":download"))
        } catch let error as CommandError {
            throw CommandError(
                "\(name) cannot be downloaded: \(error) `sightline hub list` shows the published models."
            )
        }
        let info = try JSONDecoder().decode(HubDownloadInfo.self, from: reply)
        let part = target.appendingPathExtension("part")
        defer { try? FileManager.default.removeItem(at: part) }
        try await fetch(info.downloadUri, to: part)
        let found = try FileHash.read(part.path)
        // Every download address contains the hash.
        guard info.downloadUri.contains("/\(found.hash)/"), "\(found.byteCount)" == info.sizeBytes else {
            throw CommandError(
                "The downloaded file does not match the hash or the size that the hub announced; try again."
            )
        }
        guard rename(part.path, target.path) == 0 else {
            throw CommandError("\(target.path) cannot be written; check the folder's permissions.")
        }
    }
}
