import DurableFiles
import Foundation
import ModelHubProtocol
import ModelHubServer
import TextFormatting

/// Signs manifests with a key that is kept outside of hubs.
///
/// The hub proposes a manifest, and may lie. The signer compares the file with the one that the user names, takes the time from the clock
/// of this machine, and accepts nothing from the hub unchecked, apart from the text that it shows to the user.
struct OfflineSigner {
    /// The time by which the clocks of hub and signer may differ, in seconds.
    private static let clockTolerance: Int64 = 24 * 3600
    /// The validity of a manifest if the user names none, in seconds.
    private static let usualLifetime: Int64 = 180 * 24 * 3600

    let key: SigningKey
    /// The SHA-256 that the user wants to sign.
    let hash: String
    /// The size of the user's file; nil if the user named only its SHA-256.
    let byteCount: Int?
    /// The digest of the labels in the user's file, if they are known.
    let labels: String?
    /// The validity in seconds; nil for the usual one.
    let lifetime: Int64?

    /// Signs a manifest.
    ///
    /// - Parameter text: The manifest that a hub prepared.
    func sign(_ text: String, at time: Date = Date()) throws -> (signed: SignedManifest, manifest: ModelManifest) {
        var manifest: ModelManifest
        do throws(ManifestFormatError) {
            manifest = try ModelManifest(text)
        } catch {
            throw CommandError(
                "The manifest cannot be signed: \(error); get one with `sightline hub manifest prepare`."
            )
        }
        guard manifest.hash == hash, byteCount.map({ $0 == manifest.byteCount }) ?? true else {
            throw CommandError(
                "The hub's version \(manifest.version) of \(manifest.name) has \(manifest.byteCount) bytes with the SHA-256 \(manifest.hash), "
                    + "not your \(byteCount.map { "\($0) bytes with the SHA-256 " } ?? "")\(hash); nothing was signed, so compare the files."
            )
        }
        let now = Int64(time.timeIntervalSince1970)
        guard manifest.serial / 1000 <= now + Self.clockTolerance else {
            throw CommandError(
                "The hub proposes the number \(manifest.serial), which is far in the future, so that apps would refuse later manifests; check the "
                    + "hub, and the clock of this machine."
            )
        }
        manifest.labels = labels
        manifest.issued = now
        manifest.expires = now + (lifetime ?? Self.usualLifetime)
        manifest.serial = max(manifest.serial, now * 1000)
        manifest.key = key.id
        return (try key.sign(manifest), manifest)
    }
}

extension ModelManifest {
    /// The content of a signature, for people.
    var summary: String {
        "version \(version), \(NumberText.bytes(byteCount)), SHA-256 \(hash), threshold \(confidenceThreshold.map { "\($0)" } ?? "none"), "
            + "for the alias \(alias) of \(name) in \(project) (\(projectNumber))"
    }

    /// The signed statement, for people.
    var signedText: String {
        "\(name): version \(version) is signed for \(alias) with key \(key.prefix(12)) until \(ManifestTime.text(expires).prefix(10))"
    }
}
