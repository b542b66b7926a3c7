import Sightline

extension AnnotatorKind {
    /// A blur over each object.
    public static let blur = AnnotatorKind(
        name: "blur",
        summary: "a blur over each object, which cannot be reversed"
    ) { BlurAnnotator() }
}

/// Blurs each object with a margin, for example to hide people.
///
/// An object with a mask is hidden along its outline, with its holes and a margin of a sixteenth of the width and the height together. A mask that
/// covers less than a fifth of its box is doubtful, so that the box is hidden instead.
///
/// At most 6 × 6 mean colors of an object remain, with smooth transitions, so that the details cannot be restored. The margin is
/// an eighth of the box on each side, since boxes leave out hair and feet. An object of a stream is blurred from the first frame in
/// which the detector finds it; ``CoverPlanner`` hides it also in the frames around those. An object that the detector does not find
/// stays sharp.
public struct BlurAnnotator: Annotator {
    /// The part of a box that is added on each side.
    private static let margin = 0.125

    /// Whether the objects of a scene are blurred; otherwise only its covers are.
    public var hidesObjects: Bool

    /// Creates an annotator.
    ///
    /// - Parameter hidesObjects: whether the objects of a scene are blurred; otherwise only its covers are.
    public init(hidesObjects: Bool = true) { self.hidesObjects = hidesObjects }

    /// Adds a blur over each object and each cover of the scene.
    public func annotate(_ layout: inout AnnotationLayout, _ scene: AnnotatedScene) {
        let objects = hidesObjects ? scene.objects + scene.tentative : []
        let visible = objects.filter { object in
            !scene.covers.contains { $0.intersection(object.frame) == object.frame }
        }
        for mask in visible.compactMap(\.maskToHide) + scene.coverMasks {
            layout.addBlur(mask, margin: Double(mask.width + mask.height) * Self.margin / 2)
        }
        let boxes = visible.filter { $0.maskToHide == nil }.map(\.frame)
        for box in boxes + scene.covers {
            let (x, y) = (box.width * Self.margin, box.height * Self.margin)
            layout.addBlur(
                PixelRect(x: box.x - x, y: box.y - y, width: box.width + 2 * x, height: box.height + 2 * y)
            )
        }
    }
}

extension DetectedObject {
    /// The smallest part of its box that a mask covers if it hides the object.
    private static let leastMaskedShare = 0.2

    /// The mask that hides the object; nil if its box has to.
    var maskToHide: ObjectMask? {
        guard let mask, Double(mask.area) >= frame.area * Self.leastMaskedShare else { return nil }
        return mask
    }
}
