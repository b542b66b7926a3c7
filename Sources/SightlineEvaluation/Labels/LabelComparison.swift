/// Two models that label pictures, on the same pictures: a model and a rewritten form of it, or two versions of a model.
public struct LabelComparison: Sendable, Hashable, Codable {
    /// The results of one of the two models.
    public struct Side: Sendable, Hashable, Codable {
        /// The SHA-256 of the model's file, in lower-case hexadecimal digits.
        public var sha256: String
        /// The size of the file in bytes.
        public var byteCount: Int
        /// The number of labeled pictures with a right answer.
        public var right: Int
        /// Milliseconds of processor time of a run of the model on one thread, without decoding a picture.
        public var milliseconds: Double
    }

    private enum CodingKeys: String, CodingKey {
        // The names in stored reports.
        case baseline = "original"
        case candidate = "rewritten"
        case pictureCount, labeledCount, sameAnswers, speedup, rewrites
    }

    /// The original, or the earlier version.
    public var baseline: Side
    /// The rewritten form, or the later version.
    public var candidate: Side
    /// The number of compared pictures, at most ``maximumPictures``.
    public var pictureCount: Int
    /// The number of compared pictures with a label of one of the models.
    public var labeledCount: Int
    /// The number of pictures for which both models gave the same answer.
    public var sameAnswers: Int
    /// The number of times that the candidate runs in the time of the baseline, as `ModelComparison` measures it.
    public var speedup: Double
    /// The changes of a rewritten form, each a clause; empty for two versions.
    public var rewrites: [String]

    /// The maximum number of compared pictures. If there are more, the comparison takes some of all labels.
    public static let maximumPictures = 1000

    /// Checks a comparison from another process, which may be inconsistent.
    ///
    /// - Throws: `EvaluationError.malformedReport`.
    public func check() throws(EvaluationError) {
        let counts = [baseline.right, candidate.right, labeledCount, sameAnswers, pictureCount]
        guard pictureCount <= Self.maximumPictures, counts.allSatisfy({ (0...pictureCount).contains($0) }),
            max(baseline.right, candidate.right) <= labeledCount
        else {
            throw .malformedReport(reason: "a count of the comparison is not valid")
        }
        try checkModels()
    }
}
