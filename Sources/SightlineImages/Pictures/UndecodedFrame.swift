/// A frame of a video that was not decoded.
struct UndecodedFrame: CodedImage {
    let size: PixelSize

    func decoded(for request: DecodingRequest) throws(ImageError) -> DecodedImage {
        throw .corrupted(format: "video", reason: "this frame was not decoded")
    }
}
