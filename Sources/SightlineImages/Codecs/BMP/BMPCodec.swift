import Foundation

/// BMP, Windows' device-independent bitmaps: 1 to 32 bits per pixel, run-length encoding, and color masks.
///
/// Source: Microsoft's documentation of BITMAPFILEHEADER, BITMAPINFOHEADER and BITMAPV5HEADER.
struct BMPCodec: ImageCodec {
    var name: String { "BMP" }
    var fileExtensions: [String] { ["bmp", "dib"] }

    /// The sizes of the headers of all versions.
    static let headerSizes: Set<Int> = [12, 16, 40, 52, 56, 64, 108, 124]

    func recognizes(_ file: ByteReader) -> Bool {
        file.has("BM", at: 0) && Self.headerSizes.contains(file.uint32(at: 14, isBigEndian: false) ?? 0)
    }

    func open(_ data: Data) throws(ImageError) -> any CodedImage { try BMPImage(data) }
}
