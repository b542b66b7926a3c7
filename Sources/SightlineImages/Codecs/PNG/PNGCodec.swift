/// PNG (third edition): all bit depths and color types. Transparent parts show white when they are read.
struct PNGCodec: EncodingImageCodec {
    var name: String { "PNG" }
    var keepsTransparency: Bool { true }
    var fileExtensions: [String] { ["png", "apng"] }

    func recognizes(_ file: ByteReader) -> Bool { file.byte(at: 0) == 0x89 && file.has("PNG\r\n\u{1A}\n", at: 1) }
}
