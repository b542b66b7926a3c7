import Foundation

/// A format of picture files: how to recognize and read its files.
///
/// A new format is a type with this protocol in its own folder, and a line in ``ImageFormat/readable``.
package protocol ImageCodec: Sendable {
    /// The name of the format in messages, for example `JPEG`.
    var name: String { get }

    /// The extensions of its files, in lower case and without the dot. The usual extension comes first.
    var fileExtensions: [String] { get }

    /// Returns whether a file that begins with these bytes has this format.
    func recognizes(_ file: ByteReader) -> Bool

    /// Reads a file's header, and no pixels.
    ///
    /// - Throws: `ImageError.corrupted`, `.unsupportedFormat` for a rare kind of the format, or `.missingLibrary`.
    func open(_ data: Data) throws(ImageError) -> any CodedImage
}

/// A format of picture files that Sightline also writes.
package protocol EncodingImageCodec: ImageCodec {
    /// Whether its files can have transparent parts.
    var keepsTransparency: Bool { get }

    /// Makes a file of a picture.
    ///
    /// - Parameters:
    ///   - picture: The pixels, in the format `rgb`, or in `rgba` if the format keeps transparency.
    ///   - quality: From 1 to 100. A lossless format ignores it.
    /// - Throws: `ImageError.encodingFailed`.
    func encode(_ picture: PixelBuffer, quality: Int) throws(ImageError) -> Data
}

extension EncodingImageCodec {
    package var keepsTransparency: Bool { false }
}

/// A compressed picture whose header has been read.
package protocol CodedImage: Sendable {
    /// The size as stored, in pixels, at least 1 × 1.
    var size: PixelSize { get }

    /// The orientation that the file states; nil if it states none.
    ///
    /// Damaged metadata counts as no metadata, because the pixels can still be right.
    var orientation: ImageOrientation? { get }

    /// Decodes the requested region, or more, at the smallest available scale that meets the request.
    ///
    /// The result has the orientation `up`; the caller sets the real one.
    ///
    /// - Throws: `ImageError.corrupted` or `.outOfMemory`.
    func decoded(for request: DecodingRequest) throws(ImageError) -> DecodedImage
}

extension CodedImage {
    package var orientation: ImageOrientation? { nil }
}
