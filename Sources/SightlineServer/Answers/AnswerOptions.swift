import CommandLineSupport
import Sightline

/// The results that a request asks for, named as the options of `sightline detect` and `sightline label`.
package struct AnswerOptions: Sendable, Hashable {
    /// The confidences from which objects, or labels of a whole picture, are reported: `threshold`.
    package var thresholds: [ThresholdArgument] = []
    /// The confidences from which labels of objects are reported: `classification-threshold`.
    package var classificationThresholds: [ThresholdArgument] = []
    /// The IoU from which boxes of a class count as one object: `iou-threshold`.
    package var iouThreshold: Float?
    /// Whether boxes of different classes count as one object, too: `agnostic-nms`.
    package var suppressesAcrossClasses = false
    /// At most this many objects: `max-objects`.
    package var maximumObjects: Int?
    /// At most this many labels of an object, or of a whole picture: `max-labels`.
    package var maximumLabels: Int?
    /// Only the most prominent object: `single`.
    package var reportsSingleObject = false
    /// Only these labels; empty for all: `allow`.
    package var allow: [String] = []
    /// Never these labels: `deny`.
    package var deny: [String] = []
    /// The part of the picture to look at, in pixels of the upright picture; nil for all of it: `roi`.
    package var region: PixelRect?
    /// The fit of the picture into the model's input; nil as the model was trained: `fit`.
    package var fit: ImageFit?

    /// Creates options with the model's own defaults.
    package init() {}

    /// Creates options with a threshold for all labels, and otherwise the model's own defaults.
    package init(threshold: Float?) { if let threshold { thresholds = [ThresholdArgument(value: threshold)] } }
}

extension AnswerOptions {
    /// The options for a detector, whose compiled models stay as they are.
    ///
    /// - Throws: `InputError` about a label that the model does not have, or a number that is out of range.
    func detection(by detector: ObjectDetector) throws(InputError) -> ObjectDetectorOptions {
        var options = detector.options
        let (objects, labels) = (
            try values(thresholds, of: "threshold"),
            try values(classificationThresholds, of: "classification-threshold")
        )
        if let usual = objects.usual { options.scoreThreshold = usual }
        if let usual = labels.usual { options.classificationThreshold = usual }
        if let iouThreshold { options.iouThreshold = iouThreshold }
        if suppressesAcrossClasses { options.suppressesAcrossClasses = true }
        if let maximumObjects { options.maximumObjects = maximumObjects }
        if let maximumLabels { options.maximumLabelsPerObject = maximumLabels }
        if reportsSingleObject { options.detectsMultipleObjects = false }
        if let region { options.regionOfInterest = region }
        if let fit { options.fit = fit }
        guard objects.hasLabels || labels.hasLabels || !allow.isEmpty || !deny.isEmpty else { return options }
        let names = detector.labelNames
        let choice = try LabelChoice(allow: allow, deny: deny, among: names.chosen, prefix: "")
        (options.allowedLabels, options.deniedLabels) = (choice.allowed, choice.denied)
        if objects.hasLabels, names.detected.isEmpty, !names.classified.isEmpty {
            throw InputError(
                reason: """
                    threshold cannot name labels, because the model finds objects of any kind; classification-threshold limits the \
                    labels that its classifier adds.
                    """
            )
        }
        options.scoreThresholds = try objects.byLabel(among: names.detected)
        options.classificationThresholds = try labels.byLabel(among: names.classified)
        return options
    }

    /// The options for a labeler, whose compiled model does not change.
    ///
    /// - Throws: `InputError` about a label that the model does not have, or an option that only detectors have.
    func labeling(by labeler: ImageLabeler) throws(InputError) -> ImageLabelerOptions {
        if let other = nameForDetectorsAlone {
            throw InputError(reason: "\(other) needs a model that finds objects; leave it out to label whole pictures.")
        }
        var options = labeler.options
        let labels = try values(thresholds, of: "threshold")
        if let usual = labels.usual { options.confidenceThreshold = usual }
        if let maximumLabels { options.maximumLabels = maximumLabels }
        if let region { options.regionOfInterest = region }
        if let fit { options.fit = fit }
        guard labels.hasLabels || !allow.isEmpty || !deny.isEmpty else { return options }
        let names = labeler.labelNames
        let choice = try LabelChoice(allow: allow, deny: deny, among: names, prefix: "")
        (options.allowedLabels, options.deniedLabels) = (choice.allowed, choice.denied)
        options.confidenceThresholds = try labels.byLabel(among: names)
        return options
    }

    /// The name of an option in use that labelers lack.
    private var nameForDetectorsAlone: String? {
        if !classificationThresholds.isEmpty { return "classification-threshold" }
        if iouThreshold != nil { return "iou-threshold" }
        if suppressesAcrossClasses { return "agnostic-nms" }
        if maximumObjects != nil { return "max-objects" }
        return reportsSingleObject ? "single" : nil
    }

    private func values(_ arguments: [ThresholdArgument], of name: String) throws(InputError) -> Thresholds {
        do { return try Thresholds(arguments, of: name) } catch { throw InputError(reason: "\(error)") }
    }
}
