/// Decides which name of an object is sure enough to be reported: a class, or a group of classes that the object could be of.
struct NameRule: Sendable {
    /// The confidences from which classes are reported.
    private let thresholds: ClassThresholds
    /// The groups by the classes in them.
    private let groups: [Int: ClassGroup]
    /// The labels with a threshold of the caller, which is used unchanged.
    private let given: Set<String>
    /// The objects whose names are reported from a lower confidence on.
    private let large: ModelSidecar.LargeObjects?

    /// Creates the rule of a detector that names objects itself.
    ///
    /// The model's own thresholds and groups count where the caller gives no threshold for all labels.
    init(_ model: DetectionModel, _ options: ObjectDetectorOptions) {
        let usual = options.classificationThreshold?.validConfidence
        let own = usual == nil ? model.files.sidecar.labelThresholds ?? [:] : [:]
        thresholds = ClassThresholds(
            usual ?? 0,
            own.merging(options.classificationThresholds) { _, callers in callers },
            of: model.names
        )
        groups = usual == nil ? model.groupsByClass : [:]
        large = usual == nil ? model.files.sidecar.largeObjects : nil
        given = Set(options.classificationThresholds.filter { $0.value.validConfidence != nil }.keys)
    }

    /// The name to report for an object's most confident class; nil if neither the class nor its group is sure enough.
    ///
    /// - Parameter share: the share of the picture that the object covers.
    func reported(_ label: Label, covering share: Double) -> Label? {
        let lowering = large.map { share >= Double($0.share) ? $0.lowering : 0 } ?? 0
        if label.confidence >= thresholds[label.index] - (given.contains(label.text) ? 0 : lowering) { return label }
        guard let group = groups[label.index], label.confidence >= group.threshold - lowering else { return nil }
        return Label(text: group.name, index: group.index, confidence: label.confidence)
    }
}

/// A name for an object that could be one of several classes.
struct ClassGroup: Sendable, Hashable {
    let name: String
    /// The position of the name after the names of all classes.
    let index: Int
    /// The confidence of a class in the group from which the name is reported.
    let threshold: Float
    let classes: [Int]
}

extension ModelSidecar {
    /// The groups of a model with these classes.
    ///
    /// - Throws: a sentence if a label of a group or of a threshold is not one of the model's labels.
    func classGroups(among names: ClassNames) throws(SidecarMistake) -> [ClassGroup] {
        func check(_ label: String, in field: CodingKeys) throws(SidecarMistake) -> Int {
            guard let index = names.names.firstIndex(of: label) else {
                throw SidecarMistake(
                    reason: "\"\(field.stringValue)\": " + Spelling.refusal(of: label, known: names.reported)
                )
            }
            return index
        }
        for label in (labelThresholds ?? [:]).keys.sorted() { _ = try check(label, in: .labelThresholds) }
        var result: [ClassGroup] = []
        for (number, group) in (groups ?? []).enumerated() {
            var classes: [Int] = []
            for label in group.labels { classes.append(try check(label, in: .groups)) }
            result.append(
                ClassGroup(
                    name: group.name,
                    index: names.names.count + number,
                    threshold: group.threshold,
                    classes: classes
                )
            )
        }
        return result
    }

    /// The problem of a sidecar.
    struct SidecarMistake: Error {
        let reason: String
    }
}
