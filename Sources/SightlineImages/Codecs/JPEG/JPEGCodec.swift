/// JPEG (ITU-T T.81): baseline and progressive; gray, YCbCr, RGB, CMYK and YCCK.
struct JPEGCodec: EncodingImageCodec {
    var name: String { "JPEG" }
    var fileExtensions: [String] { ["jpg", "jpeg", "jpe", "jfif"] }

    func recognizes(_ file: ByteReader) -> Bool { file.byte(at: 0) == 0xFF && file.byte(at: 1) == 0xD8 }
}
