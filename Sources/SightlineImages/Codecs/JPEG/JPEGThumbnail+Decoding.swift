import Foundation

extension JPEGThumbnail {
    /// The whole picture at a scale.
    ///
    /// - Parameter stored: The size of the picture as the file has it.
    func decoded(of stored: PixelSize, scale: Double) throws(ImageError) -> DecodedImage {
        let rows = PixelBuffer.Plane(data: Data(pixels), bytesPerRow: width * channels)
        let pixels = try PixelBuffer(
            format: channels == 1 ? .gray : .rgb,
            width: width,
            height: height,
            planes: [rows]
        )
        let covered = PixelRect(x: 0, y: 0, width: Double(width) / scale, height: Double(height) / scale)
        return DecodedImage(pixels: pixels, region: covered, storedSize: stored)
    }
}
