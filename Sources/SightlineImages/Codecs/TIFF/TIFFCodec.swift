import Foundation

/// TIFF 6.0: the first full picture of a file; strips and tiles; 1 to 16 bits per sample; gray, RGB, palette and CMYK;
/// uncompressed, PackBits, LZW, deflate and JPEG. Transparent parts show white.
///
/// Not read: fax compression, floating-point samples, CIE L*a*b*, BigTIFF (which has other first bytes), and the raw files of cameras, which are TIFF files too.
struct TIFFCodec: ImageCodec {
    var name: String { "TIFF" }
    var fileExtensions: [String] { ["tif", "tiff"] }

    func recognizes(_ file: ByteReader) -> Bool { file.has("II*\0", at: 0) || file.has("MM\0*", at: 0) }

    func open(_ data: Data) throws(ImageError) -> any CodedImage { try TIFFImage(data) }
}
