import Foundation

/// The kind of a file that Sightline does not read as a picture, by its first bytes.
struct FileSignature {
    enum Kind {
        /// A picture in another format.
        case picture
        case video
        /// Files that hold pictures, packed.
        case archive
        case text
        case other
        /// The bytes are not those of a known kind.
        case unknown
    }

    let kind: Kind
    /// The name with its article, for example `a PDF`.
    let name: String

    /// - Parameter file: the beginning of the file, 4096 bytes of it or more, or all of it.
    init(of file: ByteReader) {
        if let match = Self.marks.first(where: { $0.isIn(file) }) {
            (kind, name) = (match.kind, match.name)
        } else if let found = Self.boxFile(file) ?? Self.oggFile(file) ?? Self.packets(file) ?? Self.text(file) {
            self = found
        } else {
            let start = (file.slice(at: 0, count: min(file.count, 8)) ?? Data())
                .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            (kind, name) = (
                .unknown, "a file of an unknown kind that starts with the bytes \(start.joined(separator: " "))"
            )
        }
    }

    private init(_ kind: Kind, _ name: String) { (self.kind, self.name) = (kind, name) }

    /// Bytes at a fixed place.
    private struct Mark {
        let kind: Kind
        let name: String
        let bytes: [UInt8]
        let offset: Int

        init(_ kind: Kind, _ name: String, _ text: String, at offset: Int = 0) {
            self.init(kind, name, Array(text.utf8), at: offset)
        }

        init(_ kind: Kind, _ name: String, _ bytes: [UInt8], at offset: Int = 0) {
            (self.kind, self.name, self.bytes, self.offset) = (kind, name, bytes, offset)
        }

        func isIn(_ file: ByteReader) -> Bool {
            file.slice(at: offset, count: bytes.count).map { $0.elementsEqual(bytes) } ?? false
        }
    }

    private static let marks: [Mark] = [
        Mark(.picture, "a BigTIFF", "II+\0"), Mark(.picture, "a BigTIFF", "MM\0+"),
        Mark(.picture, "a Photoshop file", "8BPS"), Mark(.picture, "a GIMP file", "gimp xcf"),
        Mark(.picture, "an icon", [0, 0, 1, 0]), Mark(.picture, "a cursor", [0, 0, 2, 0, 1, 0]),
        Mark(.picture, "a JPEG XL", [0xFF, 0x0A]), Mark(.picture, "a JPEG XL", "JXL ", at: 4),
        Mark(.picture, "a JPEG 2000", "jP  ", at: 4), Mark(.picture, "a JPEG 2000", [0xFF, 0x4F, 0xFF, 0x51]),
        Mark(.picture, "a JPEG XR", [0x49, 0x49, 0xBC]), Mark(.picture, "a QOI picture", "qoif"),
        Mark(.picture, "an OpenEXR picture", [0x76, 0x2F, 0x31, 0x01]),
        Mark(.picture, "a Radiance picture", "#?RADIANCE"), Mark(.picture, "a Radiance picture", "#?RGBE"),
        Mark(.picture, "a DDS picture", "DDS "), Mark(.picture, "a DICOM file", "DICM", at: 128),
        Mark(.picture, "a camera's raw file", "FUJIFILMCCD-RAW"), Mark(.picture, "a camera's raw file", "IIRO"),
        Mark(.picture, "a camera's raw file", "IIRS"), Mark(.picture, "a camera's raw file", "MMOR"),
        Mark(.picture, "a camera's raw file", "IIU\0"), Mark(.picture, "a camera's raw file", "ftypcrx ", at: 4),
        Mark(.video, "a Matroska or WebM video", [0x1A, 0x45, 0xDF, 0xA3]),
        Mark(.video, "an AVI video", "AVI ", at: 8), Mark(.video, "an FLV video", "FLV\u{1}"),
        Mark(.video, "an MXF video", [0x06, 0x0E, 0x2B, 0x34, 0x02, 0x05, 0x01, 0x01, 0x0D, 0x01, 0x02]),
        Mark(.video, "a YUV4MPEG video", "YUV4MPEG2 "), Mark(.video, "an IVF video", "DKIF"),
        Mark(.video, "a NUT video", "nut/multimedia container\0"), Mark(.video, "a DV video", [0x1F, 0x07, 0x00]),
        Mark(.video, "an AV1 video", [0x12, 0x00, 0x0A]), Mark(.video, "a RealMedia video", ".RMF"),
        Mark(.video, "a recorder's video", "DHAV"), Mark(.video, "a recorder's video", "DAHUA"),
        Mark(.video, "a recorder's video", "IMKH"),
        // With sound alone the container is the same; its files are mostly videos.
        Mark(.video, "a Windows Media video", [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11]),
        Mark(.archive, "a zip archive", "PK\u{3}\u{4}"), Mark(.archive, "a tar archive", "ustar", at: 257),
        Mark(.archive, "a compressed archive", [0x1F, 0x8B]), Mark(.archive, "a compressed archive", "BZh"),
        Mark(.archive, "a compressed archive", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
        Mark(.archive, "a 7-Zip archive", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
        Mark(.archive, "a RAR archive", "Rar!\u{1A}\u{7}"),
        Mark(.other, "a PDF", "%PDF"), Mark(.other, "a TensorFlow Lite model", "TFL3", at: 4),
        Mark(.other, "a WAV or other RIFF file", "RIFF"),
    ]

    /// A file of boxes with four letters each (ISO/IEC 14496-12, 4.2): MP4, or QuickTime, which needs no box with the type of the file.
    private static func boxFile(_ file: ByteReader) -> FileSignature? {
        guard let name = file.slice(at: 4, count: 4).map({ String(decoding: $0, as: UTF8.self) }) else { return nil }
        switch name {
        case "ftyp":
            let isSound = ["M4A ", "M4B ", "M4P "].contains { file.has($0, at: 8) }
            return isSound ? FileSignature(.other, "an MP4 file with sound") : mp4
        case "moov", "mdat", "wide", "pnot", "free", "skip": return mp4
        default: return nil
        }
    }

    private static let mp4 = FileSignature(.video, "an MP4 or QuickTime video")

    /// The first pages of an Ogg file name the codecs.
    private static func oggFile(_ file: ByteReader) -> FileSignature? {
        guard file.has("OggS", at: 0) else { return nil }
        let codecs = ["\u{1}theora", "theora", "BBCD\0", "OVP80", "video"].map { Data($0.utf8) }
        let isVideo = codecs.contains { file.data.prefix(4096).firstRange(of: $0) != nil }
        return isVideo ? FileSignature(.video, "an Ogg video") : FileSignature(.other, "an Ogg file with sound")
    }

    /// The streams of MPEG: packets of equal length, or units that begin with 00 00 01 (ISO/IEC 13818-1 and -2, ITU-T H.264 and H.265,
    /// annex B).
    private static func packets(_ file: ByteReader) -> FileSignature? {
        // A camera's recording has a time before each packet; one with its own checks has 16 bytes behind it.
        for (length, first) in [(188, 0..<188), (192, 0..<192), (204, 0..<204)] {
            let isStream = first.contains { start in
                (0..<5).allSatisfy { file.byte(at: start + $0 * length) == 0x47 }
            }
            // In text, the byte is the letter G.
            if isStream, text(file) == nil { return FileSignature(.video, "an MPEG-TS video") }
        }
        let code = file.has("\0\0\0\u{1}", at: 0) ? 4 : file.has("\0\0\u{1}", at: 0) ? 3 : nil
        guard let code, let unit = file.byte(at: code), let next = file.byte(at: code + 1) else { return nil }
        if code == 3, unit == 0xBA || unit == 0xBB { return FileSignature(.video, "an MPEG video") }
        if code == 3, [0xB0, 0xB3, 0xB5, 0xB6].contains(unit) { return FileSignature(.video, "an MPEG video") }
        // Sequence and picture parameters, and delimiters, begin a stream.
        if [0x67, 0x47, 0x27, 0x09, 0x68, 0x06].contains(unit) { return FileSignature(.video, "an H.264 video") }
        if [0x40, 0x42, 0x44, 0x46, 0x4E].contains(unit), next == 1 { return FileSignature(.video, "an HEVC video") }
        return nil
    }

    private static func text(_ file: ByteReader) -> FileSignature? {
        guard file.count > 0 else { return nil }
        // A pixmap is a letter, a digit, and numbers in text (netpbm.sourceforge.net).
        if file.byte(at: 0) == UInt8(ascii: "P"), let kind = file.byte(at: 1), (0x31...0x37).contains(kind),
            let space = file.byte(at: 2), [0x0A, 0x0D, 0x20, 0x09].contains(space),
            let next = file.byte(at: 3), next == UInt8(ascii: "#") || (0x30...0x39).contains(next) || kind == 0x37
        {
            return FileSignature(.picture, "a PNM picture")
        }
        if file.has("{", at: 0) { return FileSignature(.text, "JSON text") }
        let head = file.slice(at: 0, count: min(file.count, 512)) ?? Data()
        let text = String(decoding: head, as: UTF8.self).lowercased()
            .trimmingCharacters(in: .whitespacesAndNewlines.union(CharacterSet(charactersIn: "\u{FEFF}")))
        if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") || text.contains("<head") {
            return FileSignature(.text, "an HTML page")
        }
        if text.contains("<svg") { return FileSignature(.text, svg) }
        if text.hasPrefix("<?xml") { return FileSignature(.text, "an XML file") }
        // The head may end within a character.
        let isText =
            head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
            && !text.dropLast().contains("\u{FFFD}")
        return isText ? FileSignature(.text, "plain text") : nil
    }

    private static let svg = "an SVG drawing"

    /// The next step for a file that is `name`, as a part of a sentence.
    static func advice(on name: String) -> String {
        if name.hasSuffix("video") { return "use `sightline track`, or VideoReader in code" }
        if name == svg || name.contains("rare kind")
            || marks.contains(where: { $0.kind == .picture && $0.name == name })
            || name == "a PNM picture"
        {
            return "convert it to JPEG or PNG"
        }
        if marks.contains(where: { $0.kind == .archive && $0.name == name }) { return "unpack it and name the folder" }
        return "choose another file"
    }
}
