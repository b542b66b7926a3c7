import Sightline

extension AnnotatorKind {
    /// The named points of each object, and the skeletons of bodies.
    public static let point = AnnotatorKind(
        name: "point",
        summary:
            "the skeleton of a body, or a dot at each point of an object, such as the eyes of a face, if the model gives points"
    ) { PointAnnotator() }
}

/// Draws a dot at each confident point of an object, in the object's color, and joins the points of a body to a skeleton. A dot is as
/// wide as one and a half lines, and less in a small object. Lines and dots have a thin edge of black or white, so that they show on
/// light and dark pictures.
///
/// Points below `ObjectPoint.usualThreshold` are left out.
public struct PointAnnotator: Annotator {
    /// The width of a dot in multiples of a line.
    private static let width = 1.5
    /// The largest width of a dot as a share of its object's width.
    private static let share = 0.08
    /// The width of a skeleton's lines as a share of a dot's.
    private static let boneShare = 2.0 / 3
    /// The width of an edge as a share of a dot's.
    private static let edgeShare = 1.0 / 3

    /// Creates an annotator.
    public init() {}

    /// Adds the dots and skeletons of all objects.
    public func annotate(_ layout: inout AnnotationLayout, _ scene: AnnotatedScene) {
        for object in scene.objects {
            guard let points = object.points else { continue }
            let width = min(Self.width, object.frame.width * Self.share / layout.lineWidth)
            let color = AnnotationColor.color(of: object)
            let bones = ObjectPoint.bones(among: points).map { [points[$0], points[$1]] }
            let dots = points.map { [$0, $0] }
            let lines = [(bones, Self.boneShare * width), (dots, width)]
            let edge = 2 * Self.edgeShare * width
            for (ink, more) in [(color.contrastingText, edge), (color, 0)] {
                for (ends, width) in lines {
                    for ends in ends where ends.allSatisfy(\.isConfident) {
                        layout.addLine(ends.map(\.position), color: ink, width: width + more)
                    }
                }
            }
        }
    }
}
