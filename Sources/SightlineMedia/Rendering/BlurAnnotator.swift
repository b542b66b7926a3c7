import Sightline

extension AnnotatorKind {
    /// A blur over each object.
    public static let blur = AnnotatorKind(
        name: "blur",
        summary: "a blur over each object, which cannot be reversed"
    ) { BlurAnnotator() }
}

/// Blurs each object, for example to hide people.
///
/// At most 6 × 6 mean colors of an object remain, smoothly joined, so that nobody can restore the details. The object must be found
/// for that: an object that the detector misses stays sharp.
public struct BlurAnnotator: Annotator {
    /// Creates an annotator.
    public init() {}

    /// Adds a blur over each object.
    public func annotate(_ layout: inout AnnotationLayout, _ scene: AnnotatedScene) {
        for object in scene.objects { layout.addBlur(object.frame) }
    }
}
