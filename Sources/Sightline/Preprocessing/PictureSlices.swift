/// Overlapping square slices of a picture, in which a detector looks for objects that are too small for it in the whole picture.
///
/// A model sees a picture at the size of its input, often 320 × 320 pixels, so that an object 20 pixels wide in a picture of 4,000
/// becomes less than two. Slices are searched one by one, at a larger scale, in addition to the whole picture (F. C. Akyon et al.,
/// "Slicing Aided Hyper Inference and Fine-tuning for Small Object Detection", 2022). A run of the model is needed for each slice, so
/// the time grows with their number.
///
/// ```swift
/// options.slices = PictureSlices(pixels: 640)
/// ```
public struct PictureSlices: Sendable, Hashable {
    /// Width and height of a slice, in pixels of the upright picture. A value below ``minimumPixels`` counts as that.
    ///
    /// One to two times the width of the model's input is a good choice. Objects smaller than a fifth of it are seen whole in at
    /// least one slice.
    public var pixels: Int
    /// Whether slices of four times the width, of sixteen times and so on are searched as well, while a picture has several, so that objects
    /// of every size have a slice that shows them whole and large. Pictures that would have too many slices then get larger ones instead
    /// of a ``SliceError``.
    public var isPyramid: Bool

    /// The smallest slices.
    public static let minimumPixels = 32
    /// The largest number of slices of a picture.
    public static let maximumCount = 1000
    /// The share of a slice that its neighbor covers too, at least.
    static let overlap = 0.2

    /// Creates a description of slices.
    ///
    /// - Parameter pixels: width and height of a slice, in pixels of the upright picture.
    public init(pixels: Int) { self.init(pixels: pixels, isPyramid: false) }

    /// Creates a description of slices of one or of several sizes.
    ///
    /// - Parameters:
    ///   - pixels: width and height of the smallest slices, in pixels of the upright picture.
    ///   - isPyramid: whether larger slices are searched as well.
    public init(pixels: Int, isPyramid: Bool) { (self.pixels, self.isPyramid) = (pixels, isPyramid) }

    private var side: Double { Double(max(pixels, Self.minimumPixels)) }

    /// The number of slices along an extent of a region.
    private func count(along extent: Double) -> Double {
        extent <= side ? 1 : ((extent - side) / (side * (1 - Self.overlap))).rounded(.up) + 1
    }

    /// The slices of a region in pixels of the upright picture, row by row, the smallest first; empty if a single slice would cover the region.
    ///
    /// - Throws: `SliceError.tooMany` before any memory is used.
    func slices(of region: PixelRect) throws(SliceError) -> [PixelRect] {
        guard isPyramid else { return try slicesOfOneSize(of: region) }
        var (all, level): ([PixelRect], PictureSlices) = ([], self)
        level.pixels = max(pixels, sufficientPixels(for: region, count: Self.maximumCount * 3 / 4))
        while case let slices = try level.slicesOfOneSize(of: region), !slices.isEmpty {
            all += slices
            level.pixels = Int(level.side) * 4
        }
        return all
    }

    /// The slices of one size.
    ///
    /// They are spread evenly, so that the first and the last in a row end where the region ends. Where the region is narrower than a
    /// slice, so are the slices.
    ///
    /// - Throws: `SliceError.tooMany` before any memory is used.
    private func slicesOfOneSize(of region: PixelRect) throws(SliceError) -> [PixelRect] {
        let (columns, rows) = (count(along: region.width), count(along: region.height))
        guard columns * rows > 1 else { return [] }
        guard columns * rows <= Double(Self.maximumCount) else {
            throw .tooMany(
                region: PixelSize(width: Int(region.width), height: Int(region.height)),
                pixels: Int(side),
                sufficient: sufficientPixels(for: region, count: Self.maximumCount)
            )
        }
        let (width, height) = (min(side, region.width), min(side, region.height))
        func start(_ number: Int, of count: Double, _ extent: Double) -> Double {
            count > 1 ? Double(number) * (extent - side) / (count - 1) : 0
        }
        return (0..<Int(rows)).flatMap { row in
            (0..<Int(columns)).map { column in
                PixelRect(
                    x: region.x + start(column, of: columns, region.width),
                    y: region.y + start(row, of: rows, region.height),
                    width: width,
                    height: height
                )
            }
        }
    }

    /// Slices that are large enough for a region, rounded up to tens of pixels.
    ///
    /// - Parameter count: the largest number of slices.
    private func sufficientPixels(for region: PixelRect, count: Int) -> Int {
        var slices = self
        // A tenth more at each step: at most 170 steps from the smallest slices to the largest picture.
        while slices.count(along: region.width) * slices.count(along: region.height) > Double(count) {
            slices.pixels = Int(slices.side * 1.1)
        }
        return slices == self ? Int(side) : (Int(slices.side) + 9) / 10 * 10
    }
}
