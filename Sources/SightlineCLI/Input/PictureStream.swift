import Foundation

/// Pictures that follow one another in one stream of bytes, as a camera or `ffmpeg -f mjpeg -` sends them.
enum PictureStream {
    /// The end of a picture and the beginning of the next.
    private static let borders = [
        // JPEG: these bytes appear unescaped only between two pictures.
        Data([0xFF, 0xD9, 0xFF, 0xD8, 0xFF]),
        // PNG: the last chunk with its checksum, then the signature.
        Data([0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82, 0x89, 0x50, 0x4E, 0x47]),
    ]
    /// The mark of JPEG files with several forms of one picture (CIPA DC-007, "Multi-Picture Format"), and where it can be.
    private static let multiPictureMark = (bytes: Data("MPF\0".utf8), within: 1 << 17)

    /// Whether the bytes are more than one picture.
    static func holdsSeveral(_ data: Data) -> Bool {
        guard borders.contains(where: { data.firstRange(of: $0) != nil }) else { return false }
        return data.prefix(multiPictureMark.within).firstRange(of: multiPictureMark.bytes) == nil
    }
}
