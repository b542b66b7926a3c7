import Sightline

extension AnnotatorKind {
    /// The mask of each object.
    public static let mask = AnnotatorKind(
        name: "mask",
        summary: "the pixels of each object in a translucent color, with an outline, if the model gives masks"
    ) { MaskAnnotator() }
}

/// Draws the mask of each object: a translucent surface and an outline in the color of the object's box, with a thin rim in black or white,
/// so that it stands out from a light and from a dark ground. An object without a mask has no marks of this kind.
public struct MaskAnnotator: Annotator {
    /// Creates an annotator.
    public init() {}

    /// Adds the masks of all objects.
    public func annotate(_ layout: inout AnnotationLayout, _ scene: AnnotatedScene) {
        for object in scene.objects {
            if let mask = object.mask { layout.addMask(mask, color: .color(of: object)) }
        }
    }
}
