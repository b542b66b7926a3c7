/// HEIC and AVIF (ISO/IEC 23008-12).
struct HEIFCodec: ImageCodec {
    let name: String
    let fileExtensions: [String]
    /// The brands of files, of which the first is the general brand of this format.
    private let brands: Set<String>
    /// The Debian package with the decoder, where it is not a part of libheif's.
    let decoderPackage: String

    /// Pictures compressed by HEVC, as iPhones write them.
    static let heic = HEIFCodec(
        name: "HEIC",
        fileExtensions: ["heic", "heif", "hif", "heics", "heifs"],
        brands: ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"],
        decoderPackage: "libheif-plugin-libde265"
    )

    /// Pictures compressed by AV1.
    static let avif = HEIFCodec(
        name: "AVIF",
        fileExtensions: ["avif", "avifs"],
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
}
