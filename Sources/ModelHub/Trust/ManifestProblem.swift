import Foundation
import ModelHubProtocol

/// A reason why a model that a hub offers is not trusted. Nothing is installed then, and an installed model stays usable.
public enum ManifestProblem: Error, Sendable, Hashable {
    /// The hub has no manifest for the version.
    case unsigned
    /// The manifest cannot be read.
    case unreadable(reason: String)
    /// The manifest has a format that this version of the app does not know.
    case unknownFormat(String)
    /// No trusted key signed the manifest. It names the key with this id; nil if it names none.
    case unknownKey(id: String?)
    /// The manifest names a trusted key, but the key did not sign these bytes.
    case wrongSignature(key: String)
    /// The manifest is for another project, another model or another alias, such as `plants@staging of my-plants`.
    case wrongModel(found: String)
    /// The manifest is for another file than the hub offers.
    case wrongFile(reason: String)
    /// The manifest has ended, by the clock of this device.
    case expired(end: Date, now: Date)
    /// The manifest was signed in the future, by the clock of this device.
    case fromTheFuture(issued: Date, now: Date)
    /// The app has seen a newer manifest of the model.
    case older(serial: Int64, seen: Int64)
    /// The file with the newest manifest that the app has seen is damaged.
    case damagedRecord(path: String)

    init(_ error: ManifestFormatError) {
        self =
            switch error {
            case .unknownFormat(let format): .unknownFormat(format)
            case .malformed(let reason): .unreadable(reason: reason)
            }
    }
}

extension ManifestProblem: CustomStringConvertible {
    /// The problem and the next step, as the end of a sentence without a period.
    public var description: String {
        func text(_ date: Date) -> String { date.formatted(.iso8601) }
        return switch self {
        case .unsigned: "its version is not signed; sign it with `sightline hub sign`"
        case .unreadable(let reason): "its manifest cannot be read (\(reason)); check the hub and the proxies before it"
        case .unknownFormat(let format):
            "its manifest has the format \"\(format)\" instead of \"\(ModelManifest.format)\"; update the app"
        case .unknownKey(let id):
            "its manifest is signed by \(id.map { "the key \($0.prefix(12))" } ?? "no key"), which the app does not trust; sign it with a "
                + "trusted key, or add the key to trustedKeys in a new version of the app"
        case .wrongSignature(let key):
            "the key \(key.prefix(12)) did not sign its manifest as it arrived; check the hub and the proxies before it"
        case .wrongModel(let found): "its manifest is for \(found); check the project, the name and the alias"
        case .wrongFile(let reason):
            "its manifest is for another file (\(reason)); check the hub and the proxies before it"
        case .expired(let end, let now):
            "its manifest ended at \(text(end)), and this device's clock says \(text(now)); sign it again, or set the clock"
        case .fromTheFuture(let issued, let now):
            "its manifest was signed at \(text(issued)), but this device's clock says \(text(now)); set the clock"
        case .older(let serial, let seen):
            "its manifest has the number \(serial), but this device has seen \(seen); to go back to an earlier version, sign it again"
        case .damagedRecord(let path):
            "\(path), with the newest manifest that this device has seen, is damaged; remove the file to accept any valid manifest"
        }
    }
}
