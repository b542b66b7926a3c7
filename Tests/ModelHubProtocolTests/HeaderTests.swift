import Foundation
import ModelHubProtocol
import SightlineTestSupport
import Testing

@Suite(.hangLimit) struct HeaderTests {
    static let hash = String(repeating: "0123456789abcdef", count: 4)

    // MARK: - Entity tags

    @Test(arguments: ["", "a", "v1", hash, "with space", "\"", "W/"])
    func aQuotedTagIsReadAgain(_ text: String) {
        let tag = EntityTag(EntityTag.quoted(text))
        #expect(tag.text == text && !tag.isWeak)
    }

    @Test(arguments: [hash, "\"\(hash)\"", "W/\"\(hash)\"", " \"\(hash)\" ", hash.uppercased()])
    func aHashIsReadFromEveryForm(_ header: String) {
        #expect(EntityTag(header).sha256 == Self.hash)
        #expect(EntityTag(header).isWeak == header.hasPrefix("W/"))
    }

    @Test(arguments: ["", "\"", "*", "../../etc/passwd", String(hash.dropLast()), hash + "0", "\"\(hash)"])
    func otherTagsAreNoHash(_ header: String) {
        #expect(EntityTag(header).sha256 == nil)
    }

    @Test(arguments: [
        ("a", true), ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\"", true), ("*", true), ("\"b\"", false),
        ("", false),
        ("\"ab\"", false),
    ])
    func aListContainsATagInAnyForm(_ header: String, _ isContained: Bool) {
        #expect(EntityTag.list(header, contains: "a") == isContained)
    }

    // MARK: - Ranges

    @Test(arguments: 1...9, 0...9)
    func aRangeFromAnOffsetIsTheRestOfTheFile(_ byteCount: Int, _ offset: Int) {
        let range = ByteRange(header: ByteRange.header(from: offset), byteCount: byteCount)
        #expect(range == (offset < byteCount ? .part(offset..<byteCount) : .unsatisfiable))
    }

    @Test(
        arguments: [
            ("bytes=0-0", .part(0..<1)), ("bytes=2-3", .part(2..<4)), ("bytes=2-99", .part(2..<10)),
            ("bytes=-3", .part(7..<10)), ("bytes=-99", .part(0..<10)), ("bytes=-0", .unsatisfiable),
            ("bytes=10-", .unsatisfiable), ("bytes=10-11", .unsatisfiable), ("bytes=3-2", .whole), ("bytes=-", .whole),
            ("bytes=1-2,4-5", .whole), ("lines=1-2", .whole), ("bytes=a-", .whole), ("bytes=+1-", .whole),
            ("bytes=99999999999999999999-", .whole), (nil, .whole),
        ] as [(String?, ByteRange)]
    )
    func aRangeIsReadAsTheStandardSays(_ header: String?, _ range: ByteRange) {
        #expect(ByteRange(header: header, byteCount: 10) == range)
    }

    @Test func theContentRangeOfAnyPartIsReadAgain() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<1000 {
            let total = Int.random(in: 1...(1 << 40), using: &generator)
            let start = Int.random(in: 0..<total, using: &generator)
            let end = Int.random(in: start + 1...total, using: &generator)
            for range in [
                ContentRange(start..<end, of: total), ContentRange(start..<end, of: nil), ContentRange(nil, of: total),
            ] {
                #expect(ContentRange(range.description) == range)
            }
        }
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 0-1", "bytes 0-/2", "bytes -1/2", "bytes 1-0/2", "bytes 0-2/2", "bytes 0-1/x",
        "bytes 0-1/2/3", "bytes +0-1/2", "bytes 0-99999999999999999999/*", "lines 0-1/2", "bytes 0-1-2/3",
        "bytes=0-1/2",
    ])
    func aMalformedContentRangeIsNone(_ header: String) {
        #expect(ContentRange(header) == nil)
    }

    // MARK: - Times

    @Test(arguments: [
        ("2026-11-21T15:00:00.250Z", 1_795_273_200.25), ("2026-11-21T15:00:00Z", 1_795_273_200),
        ("2026-11-21T15:00:00.250000Z", 1_795_273_200.25), ("1970-01-01T00:00:00.000Z", 0),
    ])
    func timesAreReadWithAFractionAndWithout(_ text: String, _ seconds: Double) throws {
        let date = try #require(WireTime.date(text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.001)
    }

    @Test(
        arguments: [
            (nil, nil), ("", nil), ("soon", nil), ("-1", nil), ("0", 0), ("120", 120),
            ("99999999999999999999", Int(Int32.max)), ("Sat, 21 Nov 2026 15:00:07 GMT", 7),
            ("Sat, 21 Nov 2026 14:00:00 GMT", 0), ("f\u{31D}", nil), ("Sat, 21 Nov 2026 15:00:07 GMT\u{301}", nil),
            ("S\r\nat", nil),
        ] as [(String?, Int?)]
    )
    func theWishToWaitIsSecondsOrAMoment(_ header: String?, _ seconds: Int?) throws {
        let now = try #require(WireTime.date("2026-11-21T15:00:00Z"))
        #expect(RetryAfter.duration(header, now: now) == seconds.map { .seconds($0) })
    }

    // MARK: - Base64

    @Test func anyBytesAreReadAgainFromBase64() {
        for count in 0..<70 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max) }
            let text = Base64URL.text(bytes)
            #expect(Base64URL.data(text).map { Array($0) } == bytes)
            #expect(!text.contains { "+/=".contains($0) })
        }
    }

    @Test(arguments: ["+", "a/b=", "a", "ä", "ab cd"])
    func otherTextIsNotBase64(_ text: String) {
        #expect(Base64URL.data(text) == nil)
    }

    @Test func everyNewInstallationIDIsValidAndAnother() {
        let ids = (0..<200).map { _ in FirebaseInstallationID.make() }
        #expect(ids.allSatisfy { FirebaseInstallationID.isValid($0) })
        #expect(Set(ids).count == 200)
    }

    @Test(arguments: ["", "c", String(repeating: "b", count: 22), "c" + String(repeating: "+", count: 21)])
    func otherTextIsNoInstallationID(_ text: String) {
        #expect(!FirebaseInstallationID.isValid(text))
    }
}
