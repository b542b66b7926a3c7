import HTTPServing
import NIOCore
import SightlineTestSupport
import Testing

/// Forms as different clients write them.
@Suite
struct FormDataReaderTests {
    private struct Part: Equatable {
        var name: String
        var fileName: String?
        var content: String
    }

    /// Reads a form that arrives in pieces of a size.
    private func parts(
        _ body: String,
        type: String = "multipart/form-data; boundary=X",
        pieces size: Int = 7
    ) throws -> [Part] {
        var reader = try FormDataReader(contentType: type)
        var parts: [Part] = []
        let bytes = Array(body.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            try reader.consume(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)])) { field, piece in
                if piece.readableBytes == 0 {
                    parts.append(Part(name: field.name, fileName: field.fileName, content: ""))
                }
                parts[parts.count - 1].content += String(buffer: piece)
            }
        }
        try reader.finish()
        return parts
    }

    private static let text = Part(name: "min_confidence", fileName: nil, content: "0.4")
    private static let image = Part(name: "image", fileName: "image.jpg", content: "\r\n--a\n\r\n--XY-\r")

    /// The lines of a form, with the line ends of the Internet.
    private static func form(_ dispositions: [String], boundary: String = "X") -> String {
        zip(dispositions, [text.content, image.content]).map { "--\(boundary)\r\n\($0)\r\n\r\n\($1)\r\n" }.joined()
            + "--\(boundary)--\r\n"
    }

    @Test(arguments: [
        // Browsers, and most libraries.
        [
            #"Content-Disposition: form-data; name="min_confidence""#,
            #"Content-Disposition: form-data; name="image"; filename="image.jpg""#,
        ],
        // .NET's HttpClient.
        [
            "Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=min_confidence",
            "Content-Disposition: form-data; name=image; filename=image.jpg; filename*=utf-8''image.jpg",
        ],
        // A name in quotes with a file name without, and names in another case and order.
        [
            #"content-disposition: FORM-DATA;NAME="min_confidence""#,
            #"CONTENT-DISPOSITION:form-data; filename=image.jpg ;  name = "image" ; size=7"#,
        ],
        // Only the name with a character set; a head that continues in the next line.
        [
            #"Content-Type: text/plain; charset="utf-8"\#r\#nContent-Disposition: form-data;\#r\#n name="min_confidence""#,
            "Content-Disposition: form-data; name=image; filename*=UTF-8'en'image%2Ejpg",
        ],
    ])
    func dispositionsAreReadAsTheStandardsPermit(_ dispositions: [String]) throws {
        for size in [1, 2, 7, 1000] {
            #expect(try parts(Self.form(dispositions), pieces: size) == [Self.text, Self.image])
        }
    }

    @Test(arguments: [
        "multipart/form-data; boundary=\"a b:X\"", "Multipart/Form-Data;charset=\"utf-8\";BOUNDARY=\"a b:X\"; x=y",
        #"multipart/form-data; xboundary=wrong; boundary="a b\:X""#.replacing("\\:", with: ":"),
    ])
    func aBoundaryMayBeQuoted(type: String) throws {
        let usual = ["name=min_confidence", "name=image; filename=image.jpg"].map {
            "Content-Disposition: form-data; \($0)"
        }
        #expect(try parts(Self.form(usual, boundary: "a b:X"), type: type) == [Self.text, Self.image])
    }

    @Test func aFormMayHaveAPreambleAnEpilogueAndBlanksAfterBoundaries() throws {
        let form =
            "preamble\r\n--XY\r\n--X \t\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n--X--  \r\nepilogue --X"
        for size in [1, 5, 1000] {
            #expect(try parts(form, pieces: size) == [Part(name: "a", fileName: nil, content: "b")])
        }
    }

    @Test func aFormMayHaveTheLineEndsOfUnix() throws {
        let form =
            "--X\nContent-Disposition: form-data; name=a\n\nb\nc\n--X\nContent-Disposition: form-data; name=d\n\n\n--X--\n"
        for size in [1, 5, 1000] {
            #expect(
                try parts(form, pieces: size)
                    == [Part(name: "a", fileName: nil, content: "b\nc"), Part(name: "d", fileName: nil, content: "")]
            )
        }
    }

    @Test(arguments: [
        (#"filename="a\"b.jpg""#, #"a"b.jpg"#), (#"filename="a%22b.jpg""#, #"a"b.jpg"#),
        (#"filename="C:\a;b.jpg""#, #"C:\a;b.jpg"#),
        ("filename*=utf-8''%C3%BC.jpg; filename=u.jpg", "ü.jpg"), ("filename*=iso-8859-1''%FC.jpg", "ü.jpg"),
        ("filename=u.jpg; filename*=koi8-r''%FC.jpg", "u.jpg"), ("filename=u.jpg; filename*=utf-8''%FC.jpg", "u.jpg"),
        (#"filename="=?utf-8?B?w7wuanBn?="; filename*=utf-8''%C3%BC.jpg"#, "ü.jpg"), (#"filename="""#, ""),
    ])
    func fileNamesAreRead(_ parameters: String, _ name: String) throws {
        let form = "--X\r\nContent-Disposition: form-data; name=a; \(parameters)\r\n\r\nb\r\n--X--"
        #expect(try parts(form) == [Part(name: "a", fileName: name, content: "b")])
    }

    @Test(arguments: [
        "--X\r\nContent-Disposition: form-data\r\n\r\nb\r\n--X--", "--X\r\nContent-Type: text/plain\r\n\r\nb\r\n--X--",
        "--X\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n--X", "", "--Y--",
        "--X\r\n" + String(repeating: "a: b\r\n", count: 5000),
    ])
    func anythingElseIsRefused(_ form: String) {
        #expect(throws: RequestError.self) { try parts(form) }
    }

    @Test(arguments: [
        "multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=X",
        "text/plain; boundary=X",
    ])
    func aContentTypeNeedsABoundary(type: String) {
        #expect(throws: RequestError.self) { try FormDataReader(contentType: type) }
    }
}
