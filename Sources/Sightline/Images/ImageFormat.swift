import Foundation

/// The file formats that are read, told by their first bytes.
enum ImageFormat: String {
    case jpeg = "JPEG"
    case png = "PNG"
    case webp = "WebP"

    /// - Throws: `ImageError.empty`, or `ImageError.unsupportedFormat` which names what the bytes look like.
    init(_ data: Data) throws(ImageError) {
        let bytes = ByteReader(data: data)
        guard let first = bytes.byte(at: 0) else { throw .empty }
        if first == 0xFF, bytes.byte(at: 1) == 0xD8 {
            self = .jpeg
        } else if first == 0x89, bytes.has("PNG\r\n\u{1A}\n", at: 1) {
            self = .png
        } else if bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) {
            self = .webp
        } else {
            throw .unsupportedFormat(found: Self.look(of: bytes))
        }
    }

    /// Names of pictures among what ``look(of:)`` finds.
    static let otherPictures: Set<String> = [
        "a GIF", "a BMP", "a TIFF", "a Photoshop file", "an icon", "a JPEG XL", "a JPEG 2000", "a QOI picture",
        "a HEIC",
        "an AVIF", "an SVG drawing",
    ]

    /// What people most often pass by mistake, by its signature.
    private static func look(of bytes: ByteReader) -> String {
        let signatures: [(text: String, offset: Int, name: String)] = [
            ("GIF8", 0, "a GIF"), ("BM", 0, "a BMP"), ("II*\0", 0, "a TIFF"), ("MM\0*", 0, "a TIFF"),
            ("%PDF", 0, "a PDF"), ("TFL3", 4, "a TensorFlow Lite model"), ("PK\u{3}\u{4}", 0, "a zip archive"),
            ("8BPS", 0, "a Photoshop file"), ("RIFF", 0, "an AVI, WAV or other RIFF file"),
            ("\0\0\u{1}\0", 0, "an icon"),
            ("JXL ", 4, "a JPEG XL"), ("jP  ", 4, "a JPEG 2000"), ("qoif", 0, "a QOI picture"),
            ("{", 0, "JSON text"),
        ]
        if bytes.has("ftyp", at: 4) {
            let brand = bytes.slice(at: 8, count: 4).map { String(decoding: $0, as: UTF8.self) } ?? ""
            switch brand {
            case "heic", "heix", "heim", "heis", "hevc", "mif1", "msf1": return "a HEIC"
            case "avif", "avis": return "an AVIF"
            default: return "an MP4 or QuickTime video"
            }
        }
        if let match = signatures.first(where: { bytes.has($0.text, at: $0.offset) }) { return match.name }
        if bytes.byte(at: 0) == 0x1A, bytes.byte(at: 1) == 0x45, bytes.byte(at: 2) == 0xDF {
            return "a Matroska or WebM video"
        }
        if bytes.byte(at: 0) == 0xFF, bytes.byte(at: 1) == 0x0A { return "a JPEG XL" }
        let head = bytes.slice(at: 0, count: min(bytes.count, 512)) ?? Data()
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
