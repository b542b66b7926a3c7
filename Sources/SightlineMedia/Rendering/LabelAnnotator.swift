import Sightline

extension AnnotatorKind {
    /// The names of objects or of the picture.
    public static let label = AnnotatorKind(
        name: "label",
        summary: "the identity, label and confidence of each object, or the labels of the picture"
    ) { LabelAnnotator() }
}

/// Writes the identity, the most confident label and its confidence on a tag at each object, and the labels of the whole picture into
/// its top left corner.
///
/// A tag is above its object, or at another edge where it covers no other tag. Text stays inside the picture and is left out if
/// the picture is too small. The system needs a font with the label's letters.
public struct LabelAnnotator: Annotator {
    /// Whether the tag of a tracked object has the label and its confidence beside the identity.
    public var showsLabels: Bool

    /// Creates an annotator.
    ///
    /// - Parameter showsLabels: whether the tag of a tracked object has the label and its confidence beside the identity.
    public init(showsLabels: Bool = true) { self.showsLabels = showsLabels }

    /// Adds a tag at each object, and the labels of the picture.
    public func annotate(_ layout: inout AnnotationLayout, _ scene: AnnotatedScene) {
        for object in scene.objects {
            layout.addTag(caption(object), beside: object.frame, color: .color(of: object))
        }
        for label in scene.labels {
            layout.addTagInCorner(
                Self.text(label.className, label.confidence),
                color: .color(ofIdentity: label.index)
            )
        }
    }

    private func caption(_ object: DetectedObject) -> String {
        let label = object.labels.first
        guard let id = object.id else {
            return Self.text(object.className, label?.confidence ?? object.confidence)
        }
        guard showsLabels else { return "#\(id)" }
        guard let label else { return "#\(id) \(object.className)" }
        return "#\(id) " + Self.text(label.className, label.confidence)
    }

    private static func text(_ name: String, _ confidence: Float) -> String {
        (0...1).contains(confidence) ? "\(name) \(Int((confidence * 100).rounded()))%" : name
    }
}
