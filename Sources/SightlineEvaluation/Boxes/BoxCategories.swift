import Sightline

/// The categories of annotations by the names of a detector's labels, ignoring case and punctuation.
struct BoxCategories: Sendable {
    private let names: LabelNames
    private let comparesKeypoints: Bool
    private let categories: [BoxAnnotations.Category]
    /// The sizes of the pictures; nil if boxes are compared.
    private let sizes: [PixelSize]?

    /// - Throws: `EvaluationError.noKnownCategory` if no label of the detector is a category.
    init(_ annotations: BoxAnnotations, of detector: ObjectDetector) throws(EvaluationError) {
        let categories = annotations.categories.map(\.name)
        let names = LabelNames(names: categories, count: categories.count, backgroundIndex: nil)
        self.names = names
        comparesKeypoints = annotations.comparesKeypoints
        self.categories = annotations.categories
        sizes = annotations.hasMasks ? annotations.pictures.map(\.size) : nil
        if let labels = detector.classNames, !labels.contains(where: { names.category(of: $0) != nil }) {
            throw .noKnownCategory(labels: labels, categories: categories)
        }
    }

    /// The category of a label.
    func category(of label: String) -> Int? { names.category(of: label) }

    /// The numbers of an object's points in the order of its category, or of the only category for an object without a name.
    private func keypoints(of object: DetectedObject) -> [Double] {
        let category = object.labels.first.flatMap { names.category(of: $0.text) } ?? (categories.count == 1 ? 0 : nil)
        return Self.keypoints(of: object, in: category.map { categories[$0] })
    }

    /// The detections in a picture.
    func boxes(_ objects: [DetectedObject], inPicture picture: Int) -> [BoxDetections.Box] {
        objects.map { object in
            BoxDetections.Box(
                picture: picture,
                category: object.labels.first.flatMap { names.category(of: $0.text) },
                frame: object.frame,
                // Where a name has its own confidence, it ranks the boxes of a category.
                score: Double(object.confidence),
                keypoints: comparesKeypoints ? keypoints(of: object) : [],
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
