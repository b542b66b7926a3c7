import Sightline

extension AnnotatorKind {
    /// Counting lines and zones.
    public static let zone = AnnotatorKind(
        name: "zone",
        summary: "the lines and zones of a video with their counts"
    ) { ZoneAnnotator() }
}

/// Draws the lines and areas of a scene in white with a dark edge, so that they stand out from any ground, with a tag at the middle of
/// each.
public struct ZoneAnnotator: Annotator {
    /// Creates an annotator.
    public init() {}

    /// Adds the lines and areas of the scene.
    public func annotate(_ layout: inout AnnotationLayout, _ scene: AnnotatedScene) {
        for outline in scene.outlines {
            let points = outline.points
            let line = outline.isClosed ? points + points.prefix(1) : points
            layout.addLine(line, color: .black, width: 3)
            layout.addLine(line, color: .white, width: 1.5)
            guard !outline.caption.isEmpty, !points.isEmpty else { continue }
            let count = Double(points.count)
            let middle = PixelPoint(
                x: points.map(\.x).reduce(0, +) / count,
                y: points.map(\.y).reduce(0, +) / count
            )
            layout.addTag(outline.caption, at: middle, color: .white)
        }
    }
}
