import Sightline

extension AnnotatorKind {
    /// The named points of each object.
    public static let point = AnnotatorKind(
        name: "point",
        summary: "a dot at each point of an object, such as the eyes of a face, if the model gives points"
    ) { PointAnnotator() }
}

/// Draws a dot at each named point of an object, in the object's color. A dot is as wide as one and a half lines, and less in a small object.
public struct PointAnnotator: Annotator {
    /// The width of a dot in multiples of a line.
    private static let width = 1.5
    /// The largest width of a dot as a share of its object's width.
    private static let share = 0.08

    /// Creates an annotator.
    public init() {}

    /// Adds the dots of all objects.
    public func annotate(_ layout: inout AnnotationLayout, _ scene: AnnotatedScene) {
        for object in scene.objects {
            guard let points = object.points else { continue }
            let width = min(Self.width, object.frame.width * Self.share / layout.lineWidth)
            for point in points {
                layout.addLine([point.position, point.position], color: .color(of: object), width: width)
            }
        }
    }
}
