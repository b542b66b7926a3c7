import Sightline

extension AnnotatorKind {
    /// A box around each object.
    public static let box = AnnotatorKind(name: "box", summary: "a box around each object") { BoxAnnotator() }
}

/// Draws a box around each object. The line lies inside the object's frame and grows with the picture.
///
/// An object keeps its color: a tracked object by its identity, other objects by their label.
public struct BoxAnnotator: Annotator {
    /// Creates an annotator.
    public init() {}

    /// Adds a box around each object.
    public func annotate(_ layout: inout AnnotationLayout, _ scene: AnnotatedScene) {
        for object in scene.objects { layout.addBox(object.frame, color: .color(of: object)) }
    }
}
