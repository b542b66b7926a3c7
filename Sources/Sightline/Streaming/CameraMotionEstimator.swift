import Foundation

/// Estimates how a camera moved, from one small gray picture to the next.
///
/// First all shifts of up to a quarter of the picture are tried, at a quarter of its resolution; then a similarity is fitted at finer and finer resolution by robust Gauss-Newton steps (B. D. Lucas and T. Kanade, "An
/// iterative image registration technique", 1981, with Geman-McClure weights), so that objects that move on their own
/// do not count, as long as they cover less than about half of the recognizable structure. The background decides, because the
/// motion of an object in front of a plain background looks like a camera's: what agrees must be spread over the picture, and as much
/// of it must agree beside known objects. The estimate is zero where a picture has too little structure, or where too little of it
/// agrees.
///
/// Cost: some 0.2 ms a frame at 96 × 54 pixels.
struct CameraMotionEstimator: Sendable {
    private var previous: Pyramid?

    /// Larger changes of size, and larger turns, from one frame to the next count as mistakes.
    private static let maximumZoom = 0.2
    private static let maximumRotation = 0.2
    /// The share of the recognizable structure that has to agree.
    private static let minimumAgreement = 0.5
    /// The number of the nine parts of a picture in which structure has to agree: a single object reaches four at most unless
    /// it is larger than a third of the picture.
    private static let minimumParts = 5
    /// Shorter motions, in pixels of the small copy, count as no motion: noise and compression cause them.
    private static let minimumMotion = 0.04

    /// The camera's motion from the previous frame of a stream to the next.
    ///
    /// - Parameters:
    ///   - picture: the small copy.
    ///   - frameSize: the size of the upright frame.
    ///   - objects: the boxes of objects in the previous frame, in its pixels.
    /// - Returns: the motion in pixels of the upright frame; no motion for the first frame, and where the estimate fails.
    mutating func motion(
        to picture: GrayPicture,
        of frameSize: PixelSize,
        besides objects: [PixelRect] = []
    ) -> CameraMotion {
        let current = Pyramid(picture)
        defer { previous = current }
        let scale = Double(picture.size.width) / Double(frameSize.width)
        guard let previous, previous.size == current.size,
            let found = Self.similarity(from: previous, to: current, besides: objects.map { $0.scaled(by: scale) })
        else { return .none }
        return Self.motion(found, of: picture.size, in: frameSize)
    }

    /// Forgets the previous frame.
    mutating func reset() {
        previous = nil
    }

    private static func similarity(
        from previous: Pyramid,
        to current: Pyramid,
        besides objects: [PixelRect]
    ) -> CenteredSimilarity? {
        guard let coarsest = previous.levels.last, let coarsestNext = current.levels.last else { return nil }
        var similarity = ShiftSearch.bestShift(from: coarsest, to: coarsestNext)
        var agreement: SimilarityFit.Agreement?
        for level in previous.levels.indices.reversed() {
            if level < previous.levels.count - 1 { similarity = similarity.doubled }
            let covered = objects.map { $0.scaled(by: 1 / Double(1 << level)) }
            let fit = SimilarityFit(previous.levels[level], besides: covered)
                .fit(similarity, to: current.levels[level])
            // A coarse picture may have too little structure; the finest one decides.
            agreement = fit?.agreement
            if let fit { similarity = fit.similarity }
        }
        guard let agreement else { return nil }
        let isPlausible =
            agreement.share >= minimumAgreement && agreement.backgroundShare ?? 1 >= minimumAgreement
            && agreement.parts >= minimumParts && abs(similarity.zoom) <= maximumZoom
            && abs(similarity.rotation) <= maximumRotation
            && abs(similarity.x) <= Double(previous.size.width) / 3
            && abs(similarity.y) <= Double(previous.size.height) / 3
        return isPlausible ? similarity : nil
    }

    /// The motion of the frame, from the motion of its small copy.
    private static func motion(
        _ similarity: CenteredSimilarity,
        of small: PixelSize,
        in frame: PixelSize
    ) -> CameraMotion {
        let corner = Double(max(small.width, small.height)) / 2
        let way = max(abs(similarity.x), abs(similarity.y)) + corner * hypot(similarity.zoom, similarity.rotation)
        guard way >= minimumMotion else { return .none }
        let center = (x: Double(frame.width) / 2, y: Double(frame.height) / 2)
        // About the center the picture is turned, made larger, and shifted; the motion does so about the corner.
        let (cosine, sine) = (1 + similarity.a, similarity.b)
        let shiftX = similarity.x * Double(frame.width) / Double(small.width)
        let shiftY = similarity.y * Double(frame.height) / Double(small.height)
        return CameraMotion(
            translationX: center.x + shiftX - (cosine * center.x - sine * center.y),
            translationY: center.y + shiftY - (sine * center.x + cosine * center.y),
            scale: hypot(cosine, sine),
            rotation: atan2(sine, cosine)
        )
    }
}

/// A similarity about the center of a picture: x' = (1 + a) x − b y + shift, y' = b x + (1 + a) y + shift.
struct CenteredSimilarity: Sendable {
    var a = 0.0
    var b = 0.0
    /// The shift of the center to the right, in pixels.
    var x = 0.0
    /// The shift of the center downwards, in pixels.
    var y = 0.0

    /// The same motion of a picture of twice the size.
    var doubled: CenteredSimilarity { CenteredSimilarity(a: a, b: b, x: 2 * x, y: 2 * y) }
    /// The growth of the picture: 0 for none.
    var zoom: Double { hypot(1 + a, b) - 1 }
    /// The turn in radians.
    var rotation: Double { atan2(b, 1 + a) }
}

/// A picture at full, half, quarter … size, down to a smallest side.
private struct Pyramid: Sendable {
    let levels: [GrayPicture]
    var size: PixelSize { levels.first?.size ?? PixelSize(width: 0, height: 0) }

    private static let maximumLevels = 3
    private static let minimumSide = 8

    init(_ picture: GrayPicture) {
        var levels = [picture]
        while levels.count < Self.maximumLevels, let half = levels.last?.halved(),
            min(half.size.width, half.size.height) >= Self.minimumSide
        {
            levels.append(half)
        }
        self.levels = levels
    }
}

extension PixelRect {
    fileprivate func scaled(by factor: Double) -> PixelRect {
        PixelRect(x: x * factor, y: y * factor, width: width * factor, height: height * factor)
    }
}
