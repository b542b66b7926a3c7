import Foundation

extension PixelBuffer {
    /// Makes a file of the picture.
    ///
    /// - Parameters:
    ///   - format: One of `ImageFormat.writable`.
    ///   - quality: From 1 to 100. Lossless formats ignore it.
    /// - Returns: The bytes of the file.
    /// - Throws: `ImageError.encodingFailed`, for example if the pixels are not in the format `rgb` (or, for a PNG, `rgba`), or for a JPEG with a side of
    ///   more than 65,500 pixels.
    public func encoded(as format: ImageFormat, quality: Int = 90) throws(ImageError) -> Data {
        guard let codec = format.codec as? any EncodingImageCodec else {
            throw .encodingFailed(format: format.name, reason: "this format is only read")
        }
        guard self.format == .rgb || self.format == .rgba && codec.keepsTransparency else {
            throw .encodingFailed(
                format: format.name,
                reason:
                    "its pixels are \(self.format.rawValue), expected \(codec.keepsTransparency ? "rgb or rgba" : "rgb")"
            )
        }
        guard Int32(exactly: width) != nil, Int32(exactly: height) != nil else {
            throw .encodingFailed(format: format.name, reason: "\(width) × \(height) pixels are too many")
        }
        return try codec.encode(self, quality: quality)
    }

    /// Writes the picture to a file, in the format that the file's extension names.
    ///
    /// The file is complete or absent: a write that fails leaves an older file of that name unchanged.
    ///
    /// - Parameter url: A file in a folder that exists. An existing file is replaced.
    /// - Throws: `ImageError.unknownExtension`, `.encodingFailed`, `.unwritable` or `.diskFull`.
    public func write(to url: URL) throws(ImageError) {
        let format = try ImageFormat(writingTo: url.path(percentEncoded: false))
        try ImageFile.write(encoded(as: format), to: url)
    }
}
