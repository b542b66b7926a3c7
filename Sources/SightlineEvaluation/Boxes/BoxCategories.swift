import Sightline

/// The categories of annotations by the names of a detector's labels, ignoring case and punctuation.
struct BoxCategories: Sendable {
    private let names: LabelNames
    /// The sizes of the pictures; nil if boxes are compared.
    private let sizes: [PixelSize]?

    /// - Throws: `EvaluationError.noKnownCategory` if no label of the detector is a category.
    init(_ annotations: BoxAnnotations, of detector: ObjectDetector) throws(EvaluationError) {
        let categories = annotations.categories.map(\.name)
        let names = LabelNames(names: categories, count: categories.count, backgroundIndex: nil)
        self.names = names
        sizes = annotations.hasMasks ? annotations.pictures.map(\.size) : nil
        if let labels = detector.classNames, !labels.contains(where: { names.category(of: $0) != nil }) {
            throw .noKnownCategory(labels: labels, categories: categories)
        }
    }

    /// The category of a label.
    func category(of label: String) -> Int? { names.category(of: label) }

    /// The detections in a picture.
    func boxes(_ objects: [DetectedObject], inPicture picture: Int) -> [BoxDetections.Box] {
        objects.map { object in
            BoxDetections.Box(
                picture: picture,
                category: object.labels.first.flatMap { names.category(of: $0.text) },
                frame: object.frame,
                // Where a name has its own confidence, it ranks the boxes of a category.
                score: Double(object.confidence),
                mask: sizes.flatMap { COCOMask(of: object, in: $0[picture]) }
            )
        }
    }
}

extension LabelNames {
    fileprivate func category(of label: String) -> Int? {
        if case .label(let category) = meaning(of: label) { category } else { nil }
    }
}
