import Foundation
import ModelHubProtocol

/// The rules by which an app accepts a manifest.
///
/// The order matters: nothing of a manifest is believed before its signature is verified.
struct ManifestCheck {
    /// The difference by which the clock of this device, or that of the signer, may be wrong. A clock that shows the local time as UTC
    /// is off by up to 14 hours.
    static let clockTolerance: TimeInterval = 24 * 3600

    /// The keys that the app trusts.
    let keys: [TrustedKey]
    /// The id or the number of the project, as the app knows it.
    let project: String
    /// The wanted model.
    let model: RemoteModel
    /// The clock of this device.
    let now: Date

    /// Verifies a signed manifest, and reads it.
    func manifest(_ data: Data) throws(ManifestProblem) -> ModelManifest {
        let signed: SignedManifest
        do throws(ManifestFormatError) { signed = try SignedManifest(data) } catch { throw ManifestProblem(error) }
        guard let key = keys.first(where: { $0.signed(signed) }) else {
            // The text is not to be believed; it only says why.
            guard let named = (try? signed.manifest())?.key else { throw .unknownKey(id: nil) }
            throw keys.contains { $0.id == named } ? .wrongSignature(key: named) : .unknownKey(id: named)
        }
        let manifest: ModelManifest
        do throws(ManifestFormatError) { manifest = try signed.manifest() } catch { throw ManifestProblem(error) }
        guard manifest.key == key.id else { throw .wrongSignature(key: manifest.key) }
        try check(manifest)
        return manifest
    }

    private func check(_ manifest: ModelManifest) throws(ManifestProblem) {
        guard [manifest.project, "\(manifest.projectNumber)"].contains(project), manifest.name == model.name,
            manifest.alias == model.alias
        else { throw .wrongModel(found: "\(manifest.name)@\(manifest.alias) of \(manifest.project)") }
        try checkTime(issued: manifest.issued, expires: manifest.expires)
    }

    private func checkTime(issued: Int64, expires: Int64) throws(ManifestProblem) {
        let start = Date(timeIntervalSince1970: Double(issued))
        guard start <= now.addingTimeInterval(Self.clockTolerance) else {
            throw .fromTheFuture(issued: start, now: now)
        }
        guard isCurrent(expires) else {
            throw .expired(end: Date(timeIntervalSince1970: Double(expires)), now: now)
        }
    }

    /// Whether a manifest that ends at a time, in seconds since 1970, has not ended.
    func isCurrent(_ expires: Int64) -> Bool {
        now <= Date(timeIntervalSince1970: Double(expires)).addingTimeInterval(Self.clockTolerance)
    }
}
