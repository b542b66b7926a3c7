import TextFormatting

/// The quality of a labeler on pictures with known labels.
///
/// A picture's *answer* is the model's most confident label. At a threshold the labeler answers only if its confidence
/// is at least the threshold. Precision is the share of right answers among the answers; recall is the share of
/// pictures with a right answer. (The tables for the built-in classifier in `Training`, and AutoML's evaluation with a
/// single answer per picture, use the same definitions.)
public struct LabelReport: Sendable, Hashable, Codable {
    /// The model.
    public var model: EvaluatedModel
    /// The name of the folder or archive.
    public var source: String
    /// The number of evaluated pictures.
    public var pictureCount: Int
    /// The number of pictures with a label of the model; the other pictures have no label.
    public var labeledCount: Int
    /// The number of the model's labels.
    public var modelLabelCount: Int
    /// The pictures that could not be used.
    public var skipped: SkippedPictures
    /// The folders whose names are not labels of the model; their pictures were not evaluated.
    public var unknownFolders: UnknownFolders

    /// The share of labeled pictures with a right answer, regardless of its confidence.
    public var top1: Double
    /// The share of labeled pictures whose label is among the first five.
    public var top5: Double
    /// The mean of the labels' recalls at threshold 0, with equal weight for each label: balanced accuracy.
    public var meanRecall: Double
    /// The mean of the labels' average precisions.
    public var meanAveragePrecision: Double?
    /// The mean difference between the confidence of answers and their accuracy, over 15 bins of confidence of equal
    /// width: the expected calibration error (Guo et al., "On Calibration of Modern Neural Networks", ICML 2017).
    public var calibrationError: Double?
    /// The bins of the calibration error that have answers.
    public var calibration: [CalibrationBin]

    /// All answers by threshold (micro-averaged precision and recall).
    public var overall: ThresholdCurve
    /// The threshold with the best F1 of all answers; nil if no answer is right.
    public var bestThreshold: Double?
    /// The labels with pictures or answers, in the order of the model's labels.
    public var labels: [LabelResult]
    /// The answers for the pictures of each label at threshold 0, most frequent first.
    public var confusion: [ConfusionCell]
    /// The pictures with a wrong answer, most confident first, at most ``maximumMistakes``.
    public var mistakes: [Mistake]
    /// The number of wrong and missing answers.
    public var mistakeCount: Int

    /// The duration of the evaluation in seconds.
    public var seconds: Double

    /// The maximum number of mistakes in a report.
    public static let maximumMistakes = 200
    /// The maximum number of pictures in a cell of the confusion matrix.
    public static let maximumPicturesOfCell = 24
    /// The maximum number of pictures in all cells.
    public static let maximumPicturesOfCells = 20_000

    /// The name of the label at a position in ``labels``, as used in the confusion matrix; nil if there is no label.
    public func name(ofLabelAt position: Int?) -> String? {
        position.flatMap { labels.indices.contains($0) ? labels[$0].name : nil }
    }

    /// The number of evaluated pictures per second.
    public var picturesPerSecond: Double { seconds > 0 ? Double(pictureCount + skipped.count) / seconds : 0 }

    /// The results for a label.
    public struct LabelResult: Sendable, Hashable, Codable {
        /// The label's name in the model.
        public var name: String
        /// The label's pictures and answers by threshold.
        public var curve: ThresholdCurve
        /// The area under the label's precision-recall curve: the sum of precision × increase of recall over its
        /// pictures in the order of their confidence. Pictures with equal confidence count together (scikit-learn's
        /// `average_precision_score`). The twenty most confident labels of each picture count. Nil if there are no
        /// pictures.
        public var averagePrecision: Double?

        /// The number of the label's pictures.
        public var pictureCount: Int { curve.wanted }
    }

    /// The answers in a range of confidences.
    public struct CalibrationBin: Sendable, Hashable, Codable {
        /// The lower end of the range.
        public var lower: Double
        /// The upper end of the range.
        public var upper: Double
        /// The number of answers.
        public var count: Int
        /// The mean confidence of the answers.
        public var confidence: Double
        /// The share of right answers.
        public var accuracy: Double
    }

    /// The pictures with a given label and a given answer.
    public struct ConfusionCell: Sendable, Hashable, Codable {
        /// The position in ``LabelReport/labels`` of the pictures' label; nil for pictures without a label.
        public var truth: Int?
        /// The position of the answer; nil if there was no answer.
        public var answer: Int?
        /// The number of pictures.
        public var count: Int
        /// The most confident of the pictures, at most ``LabelReport/maximumPicturesOfCell``.
        public var pictures: [Answer]
    }

    /// A picture and the confidence of its answer.
    public struct Answer: Sendable, Hashable, Codable {
        /// The picture's path within the folder or archive.
        public var path: String
        /// The confidence of the answer.
        public var confidence: Float
    }

    /// A picture with a wrong answer.
    public struct Mistake: Sendable, Hashable, Codable {
        /// The picture's path within the folder or archive.
        public var path: String
        /// The picture's label; nil if it has no label of the model.
        public var truth: String?
        /// The three most confident labels.
        public var answers: [NamedConfidence]
    }

    /// A label's name and a confidence.
    public struct NamedConfidence: Sendable, Hashable, Codable {
        /// The name.
        public var name: String
        /// The confidence.
        public var confidence: Float
    }

    /// Folders whose names are not labels of the model.
    public struct UnknownFolders: Sendable, Hashable, Codable {
        /// The number of such folders.
        public var count: Int
        /// The number of their pictures.
        public var pictureCount: Int
        /// The first fifty folders.
        public var names: [String]

        static let maximumNames = 50

        /// A sentence for the user; nil if there are no such folders.
        public var sentence: String? {
            guard count > 0 else { return nil }
            let pictures = pictureCount == 1 ? "1 picture was" : "\(pictureCount) pictures were"
            let subject = count == 1 ? "The name of 1 folder is" : "The names of \(count) folders are"
            let listed = EvaluationError.list(names.count == count ? names : names + ["others"])
            return "\(subject) not among the model's labels (\(listed)), so \(pictures) left out; "
                + "rename the folders to labels, or to \"None of the above\" for pictures without a label."
        }
    }
}

extension LabelReport: EvaluationReport {
    package static let unit = "pictures"

    package var score: Double? { top1 }
    package var warning: String? { unknownFolders.sentence }
    package var confusionCells: [ConfusionCell]? { confusion }

    package mutating func nameModel(_ name: String) { model.name = name }

    package func figures(at threshold: Double) -> [ReportFigure] {
        let point = overall.point(at: threshold)
        let labeled = NumberText.grouped(overall.wanted, "picture")
        return [
            ReportFigure(
                .share(top1),
                heading: "Top-1",
                file: .init("Top-1", "right answers"),
                console: .init(
                    "Right answers",
                    "The share of \(labeled) with a label of this version whose most confident label is right (top-1)"
                )
            ),
            ReportFigure(
                .share(top5),
                heading: "Top-5",
                file: .init("Top-5", "label among the first five"),
                console: .init(
                    "Among the first five",
                    "The picture’s label is one of the five most confident (top-5)"
                )
            ),
            ReportFigure(
                .share(meanRecall),
                heading: "Mean recall",
                file: .init("Mean recall", "equal weight per label")
            ),
            ReportFigure(
                .share(meanAveragePrecision),
                heading: "Mean AP",
                file: .init("Mean AP", "of the labels"),
                console: .init("Average precision", "Area under the precision-recall curve, mean of all labels")
            ),
            ReportFigure(
                .share(point.precision),
                file: .init(
                    "Threshold \(ReportNumbers.threshold(threshold))",
                    "precision, recall \(ReportNumbers.percent(point.recall))"
                )
            ),
            ReportFigure(
                .share(calibrationError),
                heading: "Calibration",
                text: "off by \(ReportNumbers.percent(calibrationError)) on average",
                file: .init("Calibration", "expected error"),
                console: .init(
                    "Calibration error",
                    "The mean difference between confidence and the share of right answers"
                )
            ),
            ReportFigure(
                .count(pictureCount),
                console: .init("Pictures", "\(NumberText.decimal(picturesPerSecond, 0)) per second")
            ),
        ]
    }

    package var classes: ReportClasses {
        ReportClasses(
            title: "Labels",
            noun: "Label",
            together: "All labels together",
            recall: "the share of pictures with a right answer",
            columns: ["Pictures", "Average precision"],
            rows: labels.map {
                .init(name: $0.name, values: [.count($0.pictureCount), .share($0.averagePrecision)], curve: $0.curve)
            }
        )
    }
}
