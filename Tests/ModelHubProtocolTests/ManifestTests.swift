import Foundation
import ModelHubProtocol
import SightlineTestSupport
import Testing

/// The text of manifests, and what is not one.
@Suite(.hangLimit)
struct ManifestTests {
    private static let manifest = ModelManifest(
        project: "my-plants",
        projectNumber: 100_000_000_001,
        name: "plants",
        alias: .production,
        version: 3,
        byteCount: 3_113_630,
        hash: HeaderTests.hash,
        labels: ModelManifest.digest(ofLabels: ["rose", "tulip"]),
        confidenceThreshold: 0.4,
        serial: 1_795_576_630_041,
        issued: 1_795_576_630,
        expires: 1_798_168_630,
        key: SigningKeyID.of(Data(count: 32))
    )

    @Test func theTextIsReadAgainAndIsTheOnlyOne() throws {
        var plain = Self.manifest
        (plain.labels, plain.confidenceThreshold, plain.alias) = (nil, nil, "beta-2")
        for manifest in [Self.manifest, plain] { #expect(try ModelManifest(manifest.text) == manifest) }
        #expect(
            plain.text
                == """
                sightline-model-manifest 1
                project my-plants 100000000001
                name plants
                alias beta-2
                version 3
                size 3113630
                sha256 \(HeaderTests.hash)
                labels -
                threshold -
                serial 1795576630041
                issued 2026-11-25T03:17:10Z
                expires 2026-12-25T03:17:10Z
                key 66687aadf862bd776c8fc18b8e9f8e20089714

                """.replacing("66687aadf862bd776c8fc18b8e9f8e20089714", with: plain.key)
        )
    }

    /// Changes of the text, each of which makes it another text that is not a manifest.
    private static let changes: [(String, String)] = [
        ("manifest 1\n", "manifest 2\n"), ("sightline-", "other-"), ("project my-plants ", "project my plants "),
        ("project my-plants 1", "project ../../x 1"), ("name plants", "name pl/nts"), ("name plants\n", ""),
        ("name plants\n", "name plants\nname plants\n"), ("name plants", "name  plants"),
        ("name plants", "Name plants"),
        ("name plants", "name "), ("alias production", "alias Production"), ("version 3", "version 03"),
        ("version 3", "version 0"), ("version 3", "version -3"), ("version 3", "version 99999999999999999999"),
        ("size 3113630", "size 3113630 "), ("size 3113630", "size 0"), ("size 3113630", "size 9000000000"),
        ("sha256 0", "sha256 0A"), ("sha256 0123", "sha256 012G"), ("threshold 0.4", "threshold 0.40"),
        ("threshold 0.4", "threshold 1.5"), ("threshold 0.4", "threshold nan"), ("threshold 0.4", "threshold 4e-1"),
        ("serial 1", "serial +1"), ("serial 1", "serial -1"), ("T03:17:10Z\nexpires", "T03:17:10.000Z\nexpires"),
        ("T03:17:10Z\nexpires", "T04:17:10+01:00\nexpires"), ("issued 2026-11-25", "issued 2026-13-25"),
        ("\nkey ", "\nkey x"),
        ("project my-plants", "project my-plant\u{301}s"), ("alias production\n", "alias production\r\n"),
        ("name ", "name\u{a0}"),
    ]

    @Test(arguments: changes)
    func anyOtherTextIsNoManifest(_ change: (old: String, new: String)) {
        let text = Self.manifest.text
        #expect(text.contains(change.old))
        #expect(throws: ManifestFormatError.self) {
            try ModelManifest(text.replacing(change.old, with: change.new, maxReplacements: 1))
        }
    }

    @Test func aLaterFormatIsNamed() {
        let text = Self.manifest.text.replacing(ModelManifest.format, with: "sightline-model-manifest 2")
        #expect(throws: ManifestFormatError.unknownFormat("sightline-model-manifest 2")) { try ModelManifest(text) }
    }

    @Test func whatFollowsOrIsMissingAtTheEndIsNoManifest() {
        let text = Self.manifest.text
        for other in ["\(text)\n", "\(text)more 1\n", "\n\(text)", String(text.dropLast()), ""] {
            #expect(throws: ManifestFormatError.self) { try ModelManifest(other) }
        }
    }

    private static let signed = SignedManifest(
        body: Data(manifest.text.utf8),
        signature: Data((0..<64).map { UInt8($0) })
    )

    @Test func aSignedManifestIsTakenApartAtItsLastLine() throws {
        let again = try SignedManifest(Self.signed.data)
        #expect(again == Self.signed)
        #expect(try again.manifest() == Self.manifest)
        // A slice, whose indices do not begin at zero.
        #expect(try SignedManifest((Data([1, 2, 3]) + Self.signed.data).dropFirst(3)) == Self.signed)
    }

    @Test func noPartOfASignedManifestIsOne() {
        let data = Self.signed.data
        for count in 0..<data.count {
            let isWhole = (try? SignedManifest(data.prefix(count)))?.signature == Self.signed.signature
            #expect(!isWhole, "\(count)")
        }
    }

    @Test func garbageIsNoSignedManifest() {
        var random = RepeatableRandom(seed: 1)
        for count in [0, 1, 2, 100, 600, 4096, 4097, 100_000] {
            let bytes = Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
            #expect(throws: ManifestFormatError.self) { try SignedManifest(bytes) }
            #expect(throws: ManifestFormatError.self) { try SignedManifest(Data(repeating: 10, count: count)) }
        }
        let long = Data(repeating: UInt8(ascii: "x"), count: 4096) + Self.signed.data
        #expect(throws: ManifestFormatError.self) { try SignedManifest(long) }
        // The same signature in another spelling.
        let padded = Data(String(decoding: Self.signed.data.dropLast(), as: UTF8.self).appending("==\n").utf8)
        #expect(throws: ManifestFormatError.self) { try SignedManifest(padded) }
    }

    @Test func bytesThatAreNoTextAreNoManifest() {
        let body = Data(Self.manifest.text.utf8.map { $0 == UInt8(ascii: "p") ? 0xff : $0 })
        #expect(throws: ManifestFormatError.self) {
            try SignedManifest(body: body, signature: Data(count: 64)).manifest()
        }
    }

    @Test func aKeysIdComesFromItsPublicPart() {
        let key = Data((0..<32).map { UInt8($0) })
        let text = Base64URL.text(key)
        #expect(text.count == 43 && SigningKeyID.publicKey(text) == key)
        #expect(SigningKeyID.isValid(SigningKeyID.of(key)))
        for other in ["", String(text.dropLast()), "\(text)=", "\(text)A", text.replacing("A", with: "+")] {
            #expect(SigningKeyID.publicKey(other) == nil)
        }
    }
}
