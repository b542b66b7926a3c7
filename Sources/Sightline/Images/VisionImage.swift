import Foundation

/// A picture to be looked at: a file, its bytes, or pixels in memory, with the way it stands upright.
///
/// JPEG (baseline and progressive; grey, YCbCr, RGB, CMYK and YCCK), PNG (all kinds) and WebP (of an animation the first
/// frame) are read. Transparent parts show white; 16 bits a channel become 8. Making one reads only the file's header;
/// pixels are decoded by whoever needs them, in the size that is needed.
public struct VisionImage: Sendable {
    /// Where the pixels come from.
    enum Source: Sendable {
        case coded(CodedImage)
        case pixels(PixelBuffer)
    }

    let source: Source

    /// How the stored rows relate to the upright picture.
    public private(set) var orientation: ImageOrientation

    /// The size of the picture as it is stored.
    let storedSize: PixelSize

    /// The size of the upright picture in pixels.
    public var size: PixelSize { orientation.swapsAxes ? storedSize.transposed : storedSize }

    /// The rows as they are stored, if the picture is pixels in memory; nil if it would have to be decoded first.
    package var storedPixels: PixelBuffer? {
        if case .pixels(let pixels) = source { pixels } else { nil }
    }

    /// Reads a picture file. The whole file is read into memory, so that it may change or vanish later.
    ///
    /// - Parameters:
    ///   - url: a file; JPEG, PNG and WebP are told apart by their bytes, not by their names.
    ///   - orientation: overrides the orientation that EXIF data in the file states; without either the picture is upright.
    ///   - limits: how large the picture may be.
    /// - Throws: `ImageError.unreadable`, or as `init(data:orientation:limits:)` does.
    public init(
        contentsOf url: URL,
        orientation: ImageOrientation? = nil,
        limits: ImageLimits = .standard
    ) throws(ImageError) {
        try self.init(
            data: Self.read(url, limits: limits),
            orientation: orientation,
            limits: limits
        )
    }

    /// Reads a picture file whose name need not be UTF-8.
    ///
    /// - Parameters:
    ///   - path: the path as the system takes it.
    ///   - name: the path for messages.
    /// - Throws: as `init(contentsOf:orientation:limits:)` does.
    package init(atPath path: UnsafePointer<CChar>, name: String) throws(ImageError) {
        try self.init(data: Self.read(path, name: name, limits: .standard))
    }

    /// Reads the bytes of a picture file.
    ///
    /// - Parameters:
    ///   - data: JPEG, PNG or WebP.
    ///   - orientation: overrides the orientation that EXIF data states; without either the picture is upright.
    ///   - limits: how large the picture may be.
    /// - Throws: `ImageError.empty`, `.unsupportedFormat`, `.corrupted`, `.tooLarge` or `.tooManyBytes`.
    public init(
        data: Data,
        orientation: ImageOrientation? = nil,
        limits: ImageLimits = .standard
    ) throws(ImageError) {
        try limits.check(bytes: data.count)
        let format = try ImageFormat(data)
        let image = try CodedImage(data, format: format)
        try limits.check(image.size)
        self.source = .coded(image)
        self.storedSize = image.size
        self.orientation = orientation ?? ExifOrientation.read(from: data, format: format) ?? .up
    }

    /// Takes pixels in memory as they are, without copying them.
    ///
    /// - Parameters:
    ///   - pixels: a frame of a camera or a video, for example.
    ///   - orientation: how its rows relate to the upright picture.
    public init(pixels: PixelBuffer, orientation: ImageOrientation = .up) {
        self.source = .pixels(pixels)
        self.storedSize = pixels.size
        self.orientation = orientation
    }

    /// The same picture with its rows related to the upright picture in another way.
    package func oriented(_ orientation: ImageOrientation) -> VisionImage {
        var image = self
        image.orientation = orientation
        return image
    }
}
