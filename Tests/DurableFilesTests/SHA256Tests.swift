import DurableFiles
import Foundation
import SightlineTestSupport
import Testing

@Suite(.hangLimit) struct SHA256Tests {
    /// The examples of NIST: https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values
    static let examples = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ]

    @Test("Text that NIST gives has the digest that NIST gives", arguments: examples)
    func example(text: String, digest: String) {
        #expect(SHA256.hexadecimalDigest(of: Data(text.utf8)) == digest)
    }

    @Test func aMillionLettersHaveTheDigestThatNISTGives() {
        let letters = Data(repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(
            SHA256.hexadecimalDigest(of: letters)
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        )
    }

    @Test("Pieces of any size have the digest of the whole", arguments: [1, 3, 55, 56, 63, 64, 65, 119, 128, 300])
    func pieces(size: Int) {
        let bytes = Data((0..<300).map { UInt8(truncatingIfNeeded: $0 * 7) })
        var hash = SHA256()
        for start in stride(from: 0, to: bytes.count, by: size) {
            bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { hash.update($0) }
        }
        #expect(hash.hexadecimalDigest == SHA256.hexadecimalDigest(of: bytes))
    }

    @Test func moreBytesMayFollowAfterADigest() {
        var hash = SHA256()
        #expect(hash.hexadecimalDigest == Self.examples[0].1)
        Data("abc".utf8).withUnsafeBytes { hash.update($0) }
        #expect(hash.hexadecimalDigest == Self.examples[1].1)
    }
}
