/// How good a labeler is on pictures of which the label is known.
///
/// A picture's *answer* is the most confident label that the model gives it. At a threshold the labeler answers only if its
/// confidence is at least that; precision is the share of right ones among the answers, recall the share of pictures whose
/// answer is right. (So do the tables for the built-in classifier in `Training`, and AutoML's evaluation at one answer a picture.)
public struct LabelReport: Sendable, Hashable, Codable {
    /// The model.
    public var model: EvaluatedModel
    /// The name of the folder or archive.
    public var source: String
    /// Pictures that were evaluated.
    public var pictureCount: Int
    /// Of them, pictures with a label of the model; the others show none of them.
    public var labeledCount: Int
    /// How many labels the model has.
    public var modelLabelCount: Int
    /// The pictures that could not be used.
    public var skipped: SkippedPictures
    /// The folders that are called as none of the model's labels; their pictures were not evaluated.
    public var unknownFolders: UnknownFolders

    /// The share of labeled pictures whose answer is right, whatever its confidence.
    public var top1: Double
    /// The share of labeled pictures whose label is among the first five.
    public var top5: Double
    /// The mean of the labels' recalls at threshold 0, each label counting the same: balanced accuracy.
    public var meanRecall: Double
    /// The mean of the labels' average precisions.
    public var meanAveragePrecision: Double?
    /// How far the confidence of an answer is from the chance that it is right, on average over 15 bins of confidence of equal
    /// width: the expected calibration error (Guo et al., "On Calibration of Modern Neural Networks", ICML 2017).
    public var calibrationError: Double?
    /// The bins of the calibration error in which there are answers.
    public var calibration: [CalibrationBin]

    /// All answers together, against the threshold (micro-averaged precision and recall).
    public var overall: ThresholdCurve
    /// The threshold with the best F1 of all answers together; nil where nothing is right.
    public var bestThreshold: Double?
    /// The labels that have pictures or were an answer, in the order of the model's.
    public var labels: [LabelResult]
    /// Which answers the pictures of each label got, at threshold 0, the most frequent first.
    public var confusion: [ConfusionCell]
    /// The pictures whose answer was wrong, the most confident first, at most ``maximumMistakes``.
    public var mistakes: [Mistake]
    /// How many answers were wrong, or missing, in all.
    public var mistakeCount: Int

    /// Seconds that it took.
    public var seconds: Double

    /// The most mistakes of a report.
    public static let maximumMistakes = 200
    /// The most pictures of a cell of the confusion matrix.
    public static let maximumPicturesOfCell = 24
    /// The most pictures of all cells.
    public static let maximumPicturesOfCells = 20_000

    /// The name of the label at a position of ``labels``, as cells of the confusion matrix have it; nil where there is none.
    public func name(ofLabelAt position: Int?) -> String? {
        position.flatMap { labels.indices.contains($0) ? labels[$0].name : nil }
    }

    /// Pictures evaluated per second.
    public var picturesPerSecond: Double { seconds > 0 ? Double(pictureCount + skipped.count) / seconds : 0 }

    /// How good it is at one label.
    public struct LabelResult: Sendable, Hashable, Codable {
        /// Its name in the model.
        public var name: String
        /// Its pictures and answers against the threshold.
        public var curve: ThresholdCurve
        /// The area under its precision-recall curve: the sum, over its pictures in the order of the confidence that they have
        /// it, of precision × growth of recall, pictures of equal confidence together (scikit-learn's
        /// `average_precision_score`). Of each picture the twenty most confident labels count. Nil without pictures.
        public var averagePrecision: Double?

        /// Its pictures.
        public var pictureCount: Int { curve.wanted }
    }

    /// Answers of a range of confidences.
    public struct CalibrationBin: Sendable, Hashable, Codable {
        /// Where the range begins.
        public var lower: Double
        /// Where it ends.
        public var upper: Double
        /// How many there are.
        public var count: Int
        /// Their mean confidence.
        public var confidence: Double
        /// The share of right ones.
        public var accuracy: Double
    }

    /// The pictures of one label that got one answer.
    public struct ConfusionCell: Sendable, Hashable, Codable {
        /// The position in ``LabelReport/labels`` of the label that the pictures have; nil for pictures of no label.
        public var truth: Int?
        /// The position of the label that they got; nil where there was no answer.
        public var answer: Int?
        /// How many there are.
        public var count: Int
        /// The most confident of them, at most ``LabelReport/maximumPicturesOfCell``.
        public var pictures: [Answer]
    }

    /// A picture and how sure the model was.
    public struct Answer: Sendable, Hashable, Codable {
        /// The picture's path in the folder or archive.
        public var path: String
        /// The confidence of the answer.
        public var confidence: Float
    }

    /// A picture whose answer was wrong.
    public struct Mistake: Sendable, Hashable, Codable {
        /// The picture's path in the folder or archive.
        public var path: String
        /// Its label; nil if it has none of the model's.
        public var truth: String?
        /// The first three labels that it got, with their confidence.
        public var answers: [NamedConfidence]
    }

    /// A label's name and a confidence.
    public struct NamedConfidence: Sendable, Hashable, Codable {
        /// The name.
        public var name: String
        /// The confidence.
        public var confidence: Float
    }

    /// Folders whose names are none of the model's labels.
    public struct UnknownFolders: Sendable, Hashable, Codable {
        /// How many there are.
        public var count: Int
        /// Pictures in them.
        public var pictureCount: Int
        /// The first fifty.
        public var names: [String]

        static let maximumNames = 50

        /// One sentence for people; nil if there are none.
        public var sentence: String? {
            guard count > 0 else { return nil }
            let pictures = pictureCount == 1 ? "1 picture was" : "\(pictureCount) pictures were"
            let are = count == 1 ? "1 folder is" : "\(count) folders are"
            let listed = EvaluationError.list(names.count == count ? names : names + ["others"])
            return "\(are) called as none of the model's labels (\(listed)), so that \(pictures) left out; "
                + "rename them to a label, or to \"None of the above\" if they show none."
        }
    }
}
