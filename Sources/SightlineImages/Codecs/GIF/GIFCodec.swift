import Foundation

/// GIF (GIF87a and GIF89a): the first frame. Transparent parts show white.
struct GIFCodec: ImageCodec {
    var name: String { "GIF" }
    var fileExtensions: [String] { ["gif"] }

    func recognizes(_ file: ByteReader) -> Bool { file.has("GIF87a", at: 0) || file.has("GIF89a", at: 0) }

    func open(_ data: Data) throws(ImageError) -> any CodedImage { try GIFImage(data) }
}
