import CHEIF
import Foundation

/// HEIC and AVIF (ISO/IEC 23008-12) over libheif, which is loaded when the first such picture is opened.
///
/// libheif turns and mirrors the picture as the file says, so that it comes upright. Its EXIF orientation must not be applied again.
struct HEIFCodec: ImageCodec {
    let name: String
    let fileExtensions: [String]
    /// The brands of files, of which the first is the general brand of this format.
    private let brands: Set<String>
    /// The Debian package with the decoder, where it is not a part of libheif's.
    private let decoderPackage: String

    /// Pictures compressed by HEVC, as iPhones write them.
    static let heic = HEIFCodec(
        name: "HEIC",
        fileExtensions: ["heic", "heif", "hif"],
        brands: ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"],
        decoderPackage: "libheif-plugin-libde265"
    )

    /// Pictures compressed by AV1.
    static let avif = HEIFCodec(
        name: "AVIF",
        fileExtensions: ["avif"],
        brands: ["avif", "avis"],
        decoderPackage: "libheif-plugin-dav1d"
    )

    /// The file type box has a main brand, a version, and the brands that the file is compatible with (ISO/IEC 14496-12, 4.3).
    /// Files with a general main brand have their own one in that list.
    func recognizes(_ file: ByteReader) -> Bool {
        guard file.has("ftyp", at: 4), let size = file.uint32(at: 0, isBigEndian: true), let main = brand(file, 8)
        else {
            return false
        }
        guard main == "mif1" || main == "msf1" else { return brands.contains(main) }
        let others = stride(from: 16, to: min(size, 16 + 4 * 64), by: 4).compactMap { brand(file, $0) }
        let isAVIF = others.contains { Self.avif.brands.contains($0) }
        return isAVIF == brands.contains("avif")
    }

    private func brand(_ file: ByteReader, _ offset: Int) -> String? {
        file.slice(at: offset, count: 4).map { String(decoding: $0, as: UTF8.self) }
    }

    func open(_ data: Data) throws(ImageError) -> any CodedImage {
        guard cheif_load() == nil else {
            throw .missingLibrary(format: name, library: "the library libheif", package: "libheif1")
        }
        var header = CHEIFHeader()
        var message = MessageBuffer(size: Int(CHEIF_MESSAGE_SIZE))
        let code = data.withUnsafeBytes { bytes in
            cheif_read_header(bytes.bytes, bytes.count, &header, &message.characters)
        }
        try check(code, message, bytes: data.count)
        return HEIFImage(data: data, header: header, codec: self)
    }

    func check(_ code: Int32, _ message: MessageBuffer, bytes: Int) throws(ImageError) {
        switch Int(code) {
        case Int(CHEIF_OK): return
        case Int(CHEIF_CUT_SHORT): throw .cutShort(name)
        case Int(CHEIF_UNSUPPORTED): throw .unsupportedFormat(found: "a rare kind of \(name) (\(message.text))")
        case Int(CHEIF_NO_DECODER):
            throw .missingLibrary(format: name, library: "a decoder of libheif", package: decoderPackage)
        case Int(CHEIF_OUT_OF_MEMORY): throw .outOfMemory(bytes: bytes)
        default: throw .corrupted(format: name, reason: message.text)
        }
    }
}

/// A HEIC or AVIF file whose header has been read.
struct HEIFImage: CodedImage {
    let data: Data
    let header: CHEIFHeader
    let codec: HEIFCodec

    /// The size of the upright picture.
    var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }

    /// Decodes the whole picture at full size.
    func decoded(for request: DecodingRequest) throws(ImageError) -> DecodedImage {
        DecodedImage(
            whole: try PixelBuffer(filling: size, channels: 3) { rows, stride throws(ImageError) in
                var header = header
                var message = MessageBuffer(size: Int(CHEIF_MESSAGE_SIZE))
                let code = data.withUnsafeBytes {
                    cheif_decode($0.bytes, $0.count, &header, rows, stride, &message.characters)
                }
                try codec.check(code, message, bytes: stride * size.height)
            }
        )
    }
}
