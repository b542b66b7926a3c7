import Sightline

extension AnnotatorKind {
    /// The recent path of each tracked object.
    public static let trace = AnnotatorKind(
        name: "trace",
        summary: "the recent path of each object of a video"
    ) { TraceAnnotator() }
}

/// Draws the recent path of each tracked object as a line through the centers of its boxes.
///
/// The annotator keeps positions for ``duration``, at most 64 positions for an object, and forgets an object that was out of sight for
/// that time. Without a duration it keeps the paths of all objects, with at most 512 positions each, and draws them in every frame. It forgets all paths if time goes back or the size of the picture changes.
public struct TraceAnnotator: Annotator {
    private struct Position: Sendable {
        let time: Duration
        let point: PixelPoint
    }

    private static let maximumCount = 64
    private static let maximumCountOfWhole = 512

    /// The length of a path in time; nil for the whole stream.
    public let duration: Duration?
    private var positions: [Int: [Position]] = [:]
    private var lastTime: Duration?
    private var size: PixelSize?

    /// Creates an annotator that has seen no frame.
    ///
    /// - Parameter duration: the length of a path in time; nil for the whole stream.
    public init(duration: Duration? = .seconds(2)) { self.duration = duration }

    /// Adds the path of each tracked object.
    public mutating func annotate(_ layout: inout AnnotationLayout, _ scene: AnnotatedScene) {
        guard let time = scene.timestamp else { return }
        add(scene.objects, at: time, size: layout.size)
        let shown = duration == nil ? positions.keys.sorted() : scene.objects.compactMap(\.id)
        for id in shown { layout.addLine((positions[id] ?? []).map(\.point), color: .color(ofIdentity: id)) }
    }

    private mutating func add(_ objects: [DetectedObject], at time: Duration, size: PixelSize) {
        if self.size != size || lastTime.map({ time < $0 }) ?? false { positions = [:] }
        self.size = size
        lastTime = time
        for object in objects {
            guard let id = object.id else { continue }
            let point = PixelPoint(x: object.frame.midX, y: object.frame.midY)
            positions[id, default: []].append(Position(time: time, point: point))
        }
        guard let duration else { return thin() }
        let oldest = time - duration
        positions = positions.compactMapValues { positions in
            let recent = positions.drop { $0.time < oldest }.suffix(Self.maximumCount)
            return recent.isEmpty ? nil : Array(recent)
        }
    }

    /// Leaves out every second position of the longest paths, but not the last.
    private mutating func thin() {
        for (id, path) in positions where path.count > Self.maximumCountOfWhole {
            positions[id] = path.indices.filter { $0 % 2 == 0 || $0 == path.count - 1 }.map { path[$0] }
        }
    }
}
