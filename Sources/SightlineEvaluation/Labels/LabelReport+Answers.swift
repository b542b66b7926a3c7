extension LabelReport {
    /// A picture with the confidences of all labels.
    package struct Answered: Sendable {
        let path: String
        let truth: Int?
        let confidences: [Float]

        /// - Parameters:
        ///   - path: The picture's path within the folder or archive.
        ///   - truth: The position of its label; nil if it has none.
        ///   - confidences: A confidence for each label.
        package init(path: String, truth: Int?, confidences: [Float]) {
            (self.path, self.truth, self.confidences) = (path, truth, confidences)
        }
    }

    /// Counts answers that were computed elsewhere, as ``LabelEvaluator`` counts those of a model.
    ///
    /// - Parameters:
    ///   - labels: The names of the labels.
    ///   - hidden: The position of the label for pictures of nothing, which is not an answer.
    package init(
        of answered: [Answered],
        labels: [String],
        hidden: Int?,
        model: EvaluatedModel,
        source: String,
        skipped: SkippedPictures,
        duration: Duration
    ) {
        var tally = LabelTally(names: labels)
        tally.skipped = skipped
        for picture in answered {
            let answers = picture.confidences.enumerated().filter { $0.offset != hidden && $0.element.isFinite }
                .map { LabelTally.Answer(label: $0.offset, confidence: $0.element) }
                .sorted { ($1.confidence, $0.label) < ($0.confidence, $1.label) }
            tally.add(
                path: picture.path,
                truth: picture.truth == hidden ? nil : picture.truth,
                answers: Array(answers.prefix(20))
            )
        }
        self = tally.report(model: model, source: source, duration: duration)
    }
}
