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
/// At most 6 × 6 mean colors of an object remain, with smooth transitions, so that nobody can restore the details. An object of a
/// stream is blurred from the first frame in which the detector finds it. An object that the detector misses stays sharp.
public struct BlurAnnotator: Annotator {
    /// Creates an annotator.
    public init() {}

    /// Adds a blur over each object.
    public func annotate(_ layout: inout AnnotationLayout, _ scene: AnnotatedScene) {
        for object in scene.objects + scene.tentative { layout.addBlur(object.frame) }
    }
}
