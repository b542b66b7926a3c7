import Foundation
import Sightline

/// Draws the objects of a stream onto its frames: box, label, `#id` and the trace of the last positions, in a colour that
/// stays with the id; if wished also lines and areas with their counts.
///
/// ```swift
/// var annotator = TrackAnnotator()
/// for try await frame in video.frames() {
///     let result = try detector.result(in: frame)
///     try writer.append(annotator.annotate(frame, with: result))
/// }
/// ```
///
/// A frame is drawn on in the format that it has and as it is stored, on a copy: luma and colour differences stay what they
/// are, without a detour over RGB, and change only where there is ink.
///
/// It keeps positions for `options.traceDuration` and at most 64 of them for an id, and nothing of ids that were not seen
/// for so long. When time goes back or the frame's size changes it forgets all traces.
public struct TrackAnnotator: Sendable {
    /// What is drawn.
    public struct Options: Sendable, Hashable {
        /// Whether the way of each object is drawn as a line.
        public var showsTraces: Bool
        /// How far back a trace goes.
        public var traceDuration: Duration
        /// Whether tags have the label and its confidence beside the id.
        public var showsLabels: Bool

        /// The defaults, or some of them changed.
        public init(showsTraces: Bool = true, traceDuration: Duration = .seconds(2), showsLabels: Bool = true) {
            self.showsTraces = showsTraces
            self.traceDuration = traceDuration
            self.showsLabels = showsLabels
        }
    }

    /// A line or an area that is drawn below the objects, with a text.
    public struct Outline: Sendable, Hashable {
        /// Corners, in pixels of the upright frame.
        public var points: [PixelPoint]
        /// Whether the last corner is joined with the first.
        public var isClosed: Bool
        /// What the tag at its middle says, for example a count; no tag if it is empty.
        public var caption: String

        /// An outline by its parts.
        public init(points: [PixelPoint], isClosed: Bool, caption: String = "") {
            self.points = points
            self.isClosed = isClosed
            self.caption = caption
        }
    }

    private let options: Options
    private var traces = Traces()

    /// An annotator that has seen nothing.
    public init(options: Options = Options()) { self.options = options }

    /// A copy of a frame with what was found in it.
    ///
    /// - Parameters:
    ///   - frame: the frame itself. Pixels in memory keep their format and orientation; a coded picture becomes upright RGB.
    ///   - result: what was found, in pixels of the upright frame.
    ///   - outlines: lines and areas.
    /// - Returns: the frame with ink, at the same time and place in the stream.
    /// - Throws: `MediaError.image` if the picture cannot be decoded, `.drawingFailed`.
    public mutating func annotate(
        _ frame: VideoFrame,
        with result: StreamResult,
        outlines: [Outline] = []
    ) throws(MediaError) -> VideoFrame {
        let size = frame.image.size
        traces.add(result, keeping: options.traceDuration)
        var layout = try AnnotationLayout(on: size)
        for outline in outlines {
            let corners = outline.points.map { SIMD2($0.x, $0.y) }
            layout.addLine(outline.isClosed ? corners + corners.prefix(1) : corners, color: .white)
            guard !outline.caption.isEmpty, !corners.isEmpty else { continue }
            let middle = corners.reduce(.zero, +) / Double(corners.count)
            layout.addTag(outline.caption, at: middle, color: .white)
        }
        if options.showsTraces {
            for id in result.objects.compactMap(\.id) {
                layout.addLine(traces.points(of: id), color: .forIdentity(id))
            }
        }
        layout.add(
            result.objects.map { object in
                AnnotationLayout.Mark(
                    frame: object.frame,
                    caption: caption(object),
                    color: .forIdentity(object.id ?? object.labels.first?.index ?? 0)
                )
            }
        )
        let image = try Self.draw(layout, on: frame.image)
        return VideoFrame(image: image, timestamp: frame.timestamp, index: frame.index)
    }

    private static func draw(_ layout: AnnotationLayout, on image: VisionImage) throws(MediaError) -> VisionImage {
        if let pixels = image.storedPixels {
            var canvas = try PixelCanvas(copying: pixels)
            try layout.draw(on: &canvas, orientation: image.orientation)
            return VisionImage(pixels: try canvas.pixels(), orientation: image.orientation)
        }
        var canvas: PixelCanvas
        do throws(ImageError) {
            canvas = PixelCanvas(adopting: try image.upright())
        } catch {
            throw .image(error)
        }
        try layout.draw(on: &canvas, orientation: .up)
        return VisionImage(pixels: try canvas.pixels())
    }

    private func caption(_ object: DetectedObject) -> String {
        let identity = object.id.map { "#\($0)" }
        guard options.showsLabels || identity == nil, let label = object.labels.first else {
            return identity ?? "object"
        }
        return (identity.map { $0 + " " } ?? "") + Annotator.caption(label, confidence: label.confidence)
    }
}

/// The last positions of each identity.
private struct Traces: Sendable {
    private struct Position {
        let time: Duration
        let point: SIMD2<Double>
    }

    private static let maximumCount = 64
    private var positions: [Int: [Position]] = [:]
    private var lastTime: Duration?
    private var size: PixelSize?

    mutating func add(_ result: StreamResult, keeping duration: Duration) {
        if size != result.size || lastTime.map({ result.timestamp < $0 }) ?? false { positions = [:] }
        size = result.size
        lastTime = result.timestamp
        for object in result.objects {
            guard let id = object.id else { continue }
            let point = SIMD2(object.frame.midX, object.frame.midY)
            positions[id, default: []].append(Position(time: result.timestamp, point: point))
        }
        let oldest = result.timestamp - duration
        positions = positions.compactMapValues { positions in
            let recent = positions.drop { $0.time < oldest }.suffix(Self.maximumCount)
            return recent.isEmpty ? nil : Array(recent)
        }
    }

    func points(of id: Int) -> [SIMD2<Double>] { (positions[id] ?? []).map(\.point) }
}
