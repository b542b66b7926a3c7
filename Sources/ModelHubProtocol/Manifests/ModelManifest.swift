import DurableFiles
import Foundation

/// A statement of a model's owner about a version: clients that name an alias may install these bytes until a time.
///
/// The text is the canonical form, and the only one: one field a line, in a fixed order, each ended by a line feed. A key signs these
/// bytes, and a client verifies the bytes that it received, so nothing is encoded a second time.
///
///     sightline-model-manifest 1
///     project my-plants 100000000001
///     name plants
///     alias production
///     version 3
///     size 3113630
///     sha256 910bbb2bc36b8f88e0f32b29489c37d2163bfeee362c62e039e1d9b8e1399326
///     labels 5f0d…
///     threshold 0.4
///     serial 1795576630041
///     issued 2026-11-25T02:17:10Z
///     expires 2026-12-25T02:17:10Z
///     key 3f0c9a…
package struct ModelManifest: Sendable, Hashable {
    /// The first line: the purpose of the signature and the version of the format. Text that is signed for another purpose begins in
    /// another way.
    package static let format = "sightline-model-manifest 1"

    /// The project's id.
    package var project: String
    /// The project's number, which apps may have in place of its id.
    package var projectNumber: Int64
    /// The name of the model.
    package var name: String
    /// The alias whose clients may install the version.
    package var alias: ModelAlias
    /// The number of the version.
    package var version: Int
    /// The size of the file in bytes.
    package var byteCount: Int
    /// The SHA-256 of the file, as 64 lowercase hexadecimal digits.
    package var hash: String
    /// The digest of the labels, see ``digest(ofLabels:)``; nil if the signer does not know all of them.
    package var labels: String?
    /// The confidence, from 0 to 1, below which clients drop results; nil if the version has none.
    package var confidenceThreshold: Double?
    /// Rises with each manifest of an alias. A client that saw a manifest accepts none with a lower number.
    package var serial: Int64
    /// When it was signed, in seconds since 1970.
    package var issued: Int64
    /// The end of its validity, in seconds since 1970.
    package var expires: Int64
    /// The id of the key, see ``SigningKeyID``.
    package var key: String

    /// Creates a manifest.
    package init(
        project: String,
        projectNumber: Int64,
        name: String,
        alias: ModelAlias,
        version: Int,
        byteCount: Int,
        hash: String,
        labels: String?,
        confidenceThreshold: Double?,
        serial: Int64,
        issued: Int64,
        expires: Int64,
        key: String
    ) {
        (self.project, self.projectNumber, self.name, self.alias) = (project, projectNumber, name, alias)
        (self.version, self.byteCount, self.hash, self.labels) = (version, byteCount, hash, labels)
        (self.confidenceThreshold, self.serial) = (confidenceThreshold, serial)
        (self.issued, self.expires, self.key) = (issued, expires, key)
    }

    /// The digest of labels: the SHA-256 of their UTF-8, each label ended by a line feed.
    package static func digest(ofLabels labels: [String]) -> String {
        SHA256.hexadecimalDigest(of: Data(labels.map { "\($0)\n" }.joined().utf8))
    }

    /// The text that is signed.
    package var text: String {
        """
        \(Self.format)
        project \(project) \(projectNumber)
        name \(name)
        alias \(alias)
        version \(version)
        size \(byteCount)
        sha256 \(hash)
        labels \(labels ?? "-")
        threshold \(confidenceThreshold.map { "\($0)" } ?? "-")
        serial \(serial)
        issued \(ManifestTime.text(issued))
        expires \(ManifestTime.text(expires))
        key \(key)

        """
    }
}

/// Times in manifests: RFC 3339 in UTC, in whole seconds.
package enum ManifestTime {
    /// The range of times, years 1970 to 9999, in seconds since 1970.
    package static let range: ClosedRange<Int64> = 0...253_402_300_799

    /// A time as text. Times outside the range are moved into it.
    package static func text(_ seconds: Int64) -> String {
        let seconds = min(max(seconds, range.lowerBound), range.upperBound)
        return Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }

    /// The time in a text; nil unless the text is exactly the one that ``text(_:)`` writes.
    package static func seconds(_ text: some StringProtocol) -> Int64? {
        guard text.utf8.count == 20, let date = try? Date(String(text), strategy: .iso8601) else { return nil }
        let seconds = Int64(date.timeIntervalSince1970)
        return range.contains(seconds) && Self.text(seconds) == text ? seconds : nil
    }
}
