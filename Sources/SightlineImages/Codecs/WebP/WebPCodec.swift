/// WebP (RFC 9649): lossy, lossless, and the first frame of an animation. Transparent parts show white.
struct WebPCodec: ImageCodec {
    var name: String { "WebP" }
    var fileExtensions: [String] { ["webp"] }

    func recognizes(_ file: ByteReader) -> Bool { file.has("RIFF", at: 0) && file.has("WEBP", at: 8) }
}
