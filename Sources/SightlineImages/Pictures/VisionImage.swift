import Foundation

/// A picture to analyze: a file, its bytes, or pixels in memory, with its orientation.
///
/// `ImageFormat.readable` lists the formats. Transparent parts show white, 16 bits per channel become 8, and an animation shows its
/// first frame. The initializers read only the file's header. Detectors and labelers decode the pixels, at the size that they need.
public struct VisionImage: Sendable {
    /// The origin of the pixels.
    enum Source: Sendable {
        case coded(any CodedImage)
        case pixels(PixelBuffer)
    }

    let source: Source

    /// The relation of the stored rows to the upright picture.
    public private(set) var orientation: ImageOrientation

    /// The size of the picture as it is stored.
    package let storedSize: PixelSize

    /// The size of the upright picture in pixels.
    public var size: PixelSize { orientation.swapsAxes ? storedSize.transposed : storedSize }

    /// The rows as they are stored, if the picture is pixels in memory; nil if it must be decoded first.
    package var storedPixels: PixelBuffer? {
        if case .pixels(let pixels) = source { pixels } else { nil }
    }

    /// Reads a picture file. The whole file is read into memory, so that it may change or vanish later.
    ///
    /// - Parameters:
    ///   - url: A file. Its bytes decide the format, not its name.
    ///   - orientation: Replaces the orientation that the file states. A file that states none is upright.
    ///   - limits: The largest picture to accept.
    /// - Throws: `ImageError.unreadable`, and the errors of `init(data:orientation:limits:)`.
    public init(
        contentsOf url: URL,
        orientation: ImageOrientation? = nil,
        limits: ImageLimits = .standard
    ) throws(ImageError) {
        try self.init(
            data: ImageFile.read(url, limits: limits),
            orientation: orientation,
            limits: limits
        )
    }

    /// Reads a picture file whose name need not be UTF-8.
    ///
    /// - Parameters:
    ///   - path: The path as the system takes it.
    ///   - name: The path for messages.
    ///   - limits: The largest picture to accept.
    /// - Throws: The errors of `init(contentsOf:orientation:limits:)`.
    package init(
        atPath path: UnsafePointer<CChar>,
        name: String,
        limits: ImageLimits = .standard
    ) throws(ImageError) {
        try self.init(data: ImageFile.read(path, name: name, limits: limits), limits: limits)
    }

    /// Reads the bytes of a picture file.
    ///
    /// - Parameters:
    ///   - data: The bytes of a file in one of the formats of `ImageFormat.readable`.
    ///   - orientation: Replaces the orientation that the file states. A file that states none is upright.
    ///   - limits: The largest picture to accept.
    /// - Throws: `ImageError.empty`, `.unsupportedFormat`, `.missingLibrary`, `.corrupted`, `.tooLarge` or `.tooManyBytes`.
    public init(
        data: Data,
        orientation: ImageOrientation? = nil,
        limits: ImageLimits = .standard
    ) throws(ImageError) {
        try limits.check(bytes: data.count)
        let format = try ImageFormat(of: data)
        let image = try format.codec.open(data)
        guard image.size.width > 0, image.size.height > 0 else {
            throw .corrupted(format: format.name, reason: "its size is \(image.size.width) × \(image.size.height)")
        }
        try limits.check(image.size)
        self.source = .coded(image)
        self.storedSize = image.size
        self.orientation = orientation ?? image.orientation ?? .up
    }

    /// Takes pixels in memory as they are, without copying them.
    ///
    /// - Parameters:
    ///   - pixels: For example a frame of a camera or a video.
    ///   - orientation: The relation of its rows to the upright picture.
    public init(pixels: PixelBuffer, orientation: ImageOrientation = .up) {
        self.source = .pixels(pixels)
        self.storedSize = pixels.size
        self.orientation = orientation
    }

    /// Takes the place of a frame that was not decoded. An attempt to use its pixels throws `ImageError.corrupted`.
    ///
    /// - Parameter size: The size of the frame as it is stored.
    package init(undecodedFrameOf size: PixelSize, orientation: ImageOrientation) {
        self.source = .coded(UndecodedFrame(size: size))
        self.storedSize = size
        self.orientation = orientation
    }

    /// Returns the same picture with another orientation.
    package func oriented(_ orientation: ImageOrientation) -> VisionImage {
        var image = self
        image.orientation = orientation
        return image
    }

    /// Decodes the requested region, or more, at the smallest available scale that meets the request.
    ///
    /// Pixels in memory are returned as they are.
    ///
    /// - Throws: `ImageError.corrupted` or `.outOfMemory`.
    package func decoded(for request: DecodingRequest) throws(ImageError) -> DecodedImage {
        switch source {
        case .pixels(let pixels):
            return DecodedImage(whole: pixels, orientation: orientation)
        case .coded(let image):
            var decoded = try image.decoded(for: request)
            decoded.orientation = orientation
            return decoded
        }
    }
}
