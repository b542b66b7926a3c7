import DurableFiles
import Foundation
import ModelHubProtocol

/// The newest manifests that were seen: `manifests/NAME.json`, `manifests/NAME@ALIAS.json`; replaced as a whole. They stay when a model
/// is removed, so that an earlier version cannot take its place.
extension DownloadedModels {
    private func seenFile(of model: RemoteModel) -> URL {
        folder.appending(path: "manifests").appending(path: Self.fileName(of: model))
    }

    /// The newest manifest of a model that was seen; without values if none was seen.
    func seenManifest(of model: RemoteModel) throws(HubFailure) -> SeenManifest {
        let file = seenFile(of: model)
        var status = stat()
        if lstat(file.path, &status) != 0, errno == ENOENT { return SeenManifest() }
        guard let data = try? Data(contentsOf: file),
            let seen = try? JSONDecoder().decode(SeenManifest.self, from: data)
        else { throw .untrusted(.damagedRecord(path: file.path)) }
        return seen
    }

    /// Notes that a verified manifest was seen, before anything that it names is installed.
    ///
    /// - Throws: `HubFailure.untrusted` with ``ManifestProblem/older(serial:seen:)`` if a newer manifest was seen.
    func accept(_ manifest: ModelManifest, of model: RemoteModel, trusting keys: [TrustedKey]) throws(HubFailure) {
        let file = seenFile(of: model)
        let result = try HubFailure.storing { () throws(DurableFileError) in
            try withLock { () throws(DurableFileError) -> Result<Void, HubFailure> in
                var seen: SeenManifest
                do throws(HubFailure) { seen = try seenManifest(of: model) } catch { return .failure(error) }
                if let highest = seen.highest(of: keys), manifest.serial < highest {
                    return .failure(.untrusted(.older(serial: manifest.serial, seen: highest)))
                }
                let old = seen
                seen.note(manifest, keys)
                guard seen != old else { return .success(()) }
                try DurableFile.makeFolder(file.deletingLastPathComponent())
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                // Texts and whole numbers always have a form in JSON.
                try DurableFile.write((try? encoder.encode(seen)) ?? Data(), to: file)
                return .success(())
            }
        }
        try result.get()
    }

    /// Whether another process has accepted a manifest for another file since a description was approved. Requires the lock.
    func isSuperseded(_ info: ModelInfo, of model: RemoteModel) -> Bool {
        guard info.isApproved, let hash = (try? seenManifest(of: model))?.hash else { return false }
        return hash != info.hash
    }
}
