/// JPEG (ITU-T T.81): baseline and progressive; gray, YCbCr, RGB, CMYK and YCCK.
///
/// CMYK files hold the absence of inks, with or without Adobe's marker: no program is known that writes the inks themselves, and Pillow,
/// OpenCV, ImageMagick and FFmpeg read all files so.
struct JPEGCodec: EncodingImageCodec {
    /// Whether CMYK holds the inks themselves, as within TIFF.
    var hasPlainInks = false

    var name: String { "JPEG" }
    var fileExtensions: [String] { ["jpg", "jpeg", "jpe", "jfif", "jif", "pjpeg", "mpo"] }

    func recognizes(_ file: ByteReader) -> Bool { file.byte(at: 0) == 0xFF && file.byte(at: 1) == 0xD8 }
}
