import Foundation
import Sightline
import SightlineEvaluation

/// Pictures with drawn boxes, ready to be learned from.
struct BoxTrainingPictures: Sendable {
    /// A drawn box.
    struct Box: Sendable {
        let frame: PixelRect
        /// The position of its label in ``BoxTrainingPictures/labels``.
        let label: Int
    }

    /// A picture with its boxes.
    struct Scene: Sendable {
        let picture: BoxAnnotations.Picture
        let boxes: [Box]
        /// Groups of objects, in which nothing is learned.
        let crowds: [PixelRect]
    }

    /// The labels in the order of the model's outputs: that of nothing, then those of the boxes by their names.
    let labels: [String]
    let scenes: [Scene]
    let files: PictureFiles
    let name: String
    /// The boxes of a label that means nothing.
    let nothingCount: Int

    static let maximumLabels = 10_000

    /// - Throws: ``TrainingError``.
    init(_ known: AnnotatedPictures) throws(TrainingError) {
        let annotations = known.annotations
        (files, name) = (known.files, annotations.name)
        let names = annotations.categories.map { Self.label($0.name) }
        let drawn = annotations.objects.filter { !$0.isCrowd && names[$0.category] != TrainingPictures.background }
        nothingCount = annotations.objects.count { names[$0.category] == TrainingPictures.background }
        let used = Set(drawn.map { names[$0.category] }).sorted()
        guard !used.isEmpty else { throw .noBoxes(path: annotations.name) }
        guard used.count < Self.maximumLabels else {
            throw .tooManyLabels(count: used.count, maximum: Self.maximumLabels)
        }
        if let invalid = used.first(where: { $0.isEmpty || $0.contains(where: \.isNewline) }) {
            throw .invalidLabel(invalid)
        }
        let labels = [TrainingPictures.background] + used
        self.labels = labels
        let places = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
        var boxes = [[Box]](repeating: [], count: annotations.pictures.count)
        var crowds = [[PixelRect]](repeating: [], count: annotations.pictures.count)
        for object in annotations.objects {
            if object.isCrowd {
                crowds[object.picture].append(object.frame)
            } else if let label = places[names[object.category]], label > 0 {
                boxes[object.picture].append(Box(frame: object.frame, label: label))
            }
        }
        scenes = annotations.pictures.indices.map {
            Scene(picture: annotations.pictures[$0], boxes: boxes[$0], crowds: crowds[$0])
        }
    }

    /// A label as the model has it: accents in their usual form, and one name for nothing.
    private static func label(_ text: String) -> String {
        let label = text.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
        let words = label.lowercased().split { !$0.isLetter }
        return words == ["none", "of", "the", "above"] || words == ["background"] ? TrainingPictures.background : label
    }
}
