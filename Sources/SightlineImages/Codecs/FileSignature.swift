import Foundation

/// Names files of formats that Sightline does not read, by their first bytes.
enum FileSignature {
    /// The names that stand for pictures.
    static let pictures: Set<String> = [
        "a Photoshop file", "an icon", "a JPEG XL", "a JPEG 2000", "a QOI picture", "an SVG drawing",
    ]

    private static let signatures: [(text: String, offset: Int, name: String)] = [
        ("ftyp", 4, "an MP4 or QuickTime video"),
        ("%PDF", 0, "a PDF"), ("TFL3", 4, "a TensorFlow Lite model"), ("PK\u{3}\u{4}", 0, "a zip archive"),
        ("8BPS", 0, "a Photoshop file"), ("RIFF", 0, "an AVI, WAV or other RIFF file"),
        ("\0\0\u{1}\0", 0, "an icon"),
        ("JXL ", 4, "a JPEG XL"), ("jP  ", 4, "a JPEG 2000"), ("qoif", 0, "a QOI picture"),
        ("{", 0, "JSON text"),
    ]

    /// Returns a name with its article, for example `a PDF`.
    static func name(of file: ByteReader) -> String {
        if let match = signatures.first(where: { file.has($0.text, at: $0.offset) }) { return match.name }
        if file.byte(at: 0) == 0x1A, file.byte(at: 1) == 0x45, file.byte(at: 2) == 0xDF {
            return "a Matroska or WebM video"
        }
        if file.byte(at: 0) == 0xFF, file.byte(at: 1) == 0x0A { return "a JPEG XL" }
        let head = file.slice(at: 0, count: min(file.count, 512)) ?? Data()
        let text = String(decoding: head, as: UTF8.self).lowercased()
            .trimmingCharacters(in: .whitespacesAndNewlines.union(CharacterSet(charactersIn: "\u{FEFF}")))
        if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") || text.contains("<head") {
            return "an HTML page"
        }
        if text.contains("<svg") { return "an SVG drawing" }
        if text.hasPrefix("<?xml") { return "an XML file" }
        if head.allSatisfy({ ($0 >= 0x20 && $0 < 0x7F) || (0x09...0x0D).contains($0) }) { return "plain text" }
        let start = head.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return "a file of an unknown kind that starts with the bytes \(start.joined(separator: " "))"
    }
}
