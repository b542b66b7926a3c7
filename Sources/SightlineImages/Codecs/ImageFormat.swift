import Foundation

/// A format of picture files.
///
/// `ImageFormat.readable` is the one list of formats: everything that names, recognizes, reads or writes picture files uses it.
public struct ImageFormat: Sendable {
    package let codec: any ImageCodec

    init(_ codec: any ImageCodec) {
        self.codec = codec
    }

    /// The formats that Sightline reads.
    public static let readable: [ImageFormat] = [
        jpeg,
        png,
        ImageFormat(WebPCodec()),
        ImageFormat(GIFCodec()),
        ImageFormat(BMPCodec()),
        ImageFormat(TIFFCodec()),
        ImageFormat(HEIFCodec.heic),
        ImageFormat(HEIFCodec.avif),
    ]

    /// JPEG: small files with a small loss.
    public static let jpeg = ImageFormat(JPEGCodec())
    /// PNG: lossless files.
    public static let png = ImageFormat(PNGCodec())

    /// The formats that Sightline also writes.
    public static let writable: [ImageFormat] = readable.filter(\.isWritable)

    /// The name in messages, for example `JPEG`.
    public var name: String { codec.name }

    /// The extensions of its files, in lower case and without the dot. The usual extension comes first.
    public var fileExtensions: [String] { codec.fileExtensions }

    /// Whether Sightline writes files of this format.
    public var isWritable: Bool { codec is any EncodingImageCodec }

    /// Finds the readable format that has a file extension, for example `jpg` or `JPG`; nil if there is none.
    public init?(fileExtension: String) {
        let wanted = fileExtension.lowercased()
        guard let format = Self.readable.first(where: { $0.fileExtensions.contains(wanted) }) else { return nil }
        self = format
    }

    /// Finds the writable format that a path's extension names.
    ///
    /// - Throws: `ImageError.unknownExtension`.
    public init(writingTo path: String) throws(ImageError) {
        let found = URL(filePath: path).pathExtension
        guard let format = ImageFormat(fileExtension: found), format.isWritable else {
            throw .unknownExtension(path: path, found: found)
        }
        self = format
    }

    /// Finds the format of a file by its first bytes.
    ///
    /// - Throws: `ImageError.empty`, or `.unsupportedFormat`, which names the format that the bytes resemble.
    public init(of data: Data) throws(ImageError) {
        let file = ByteReader(data: data)
        guard file.count > 0 else { throw .empty }
        guard let format = Self.readable.first(where: { $0.codec.recognizes(file) }) else {
            throw .unsupportedFormat(found: FileSignature(of: file).name)
        }
        self = format
    }

    /// Returns whether a file's name has the extension of a readable format.
    public static func isReadable(fileName: String) -> Bool {
        guard let dot = fileName.lastIndex(of: ".") else { return false }
        return ImageFormat(fileExtension: String(fileName[fileName.index(after: dot)...])) != nil
    }

    /// The names of the readable formats as part of a sentence, for example `JPEG, PNG and WebP`.
    public static let readableNames = list(readable.map(\.name), "and")

    /// Joins names with commas and a last word.
    static func list(_ names: [String], _ word: String) -> String {
        guard let last = names.last, names.count > 1 else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " \(word) \(last)"
    }
}

extension ImageFormat: Hashable, CustomStringConvertible {
    /// Formats are equal if their names are.
    public static func == (first: ImageFormat, second: ImageFormat) -> Bool { first.name == second.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The name.
    public var description: String { name }
}
