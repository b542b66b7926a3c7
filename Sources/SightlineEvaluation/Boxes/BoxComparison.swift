/// Two detectors on the same pictures: a model and a rewritten form of it, or two versions of a model.
public struct BoxComparison: Sendable, Hashable, Codable {
    /// The results of one of the two models.
    public struct Side: Sendable, Hashable, Codable {
        /// The model's file.
        public var model: EvaluatedModel
        /// AP over IoU .50:.05:.95 on the compared pictures: the mean of the categories, or of any object if one of the
        /// models knows no categories; nil if the pictures have no objects.
        public var ap: Double?
        /// AP at IoU .50.
        public var ap50: Double?
        /// Milliseconds of processor time of a run of the model on one thread, without decoding a picture.
        public var milliseconds: Double
    }

    /// The original, or the earlier version.
    public var baseline: Side
    /// The rewritten form, or the later version.
    public var candidate: Side
    /// The number of compared pictures, at most ``maximumPictures``.
    public var pictureCount: Int
    /// The number of boxes of the baseline with a confidence of at least ``minimumConfidence``.
    public var boxCount: Int
    /// The number of these boxes that the candidate also finds: the same label, an IoU of at least 0.9, and at least half
    /// of that confidence.
    public var sameBoxes: Int
    /// The number of times that the candidate runs in the time of the baseline, as `ModelComparison` measures it.
    public var speedup: Double
    /// The changes of a rewritten form, each a clause; empty for two versions.
    public var rewrites: [String]

    /// The maximum number of compared pictures. If there are more, the comparison takes pictures at equal distances.
    public static let maximumPictures = 1000
    /// The confidence from which a box of the baseline counts.
    public static let minimumConfidence: Float = 0.3
    /// The maximum number of boxes that two models can have.
    private static let maximumBoxes = 1 << 30

    /// Checks a comparison from another process, which may be inconsistent.
    ///
    /// - Throws: `EvaluationError.malformedReport`.
    public func check() throws(EvaluationError) {
        guard (0...Self.maximumPictures).contains(pictureCount), (0...Self.maximumBoxes).contains(boxCount),
            (0...boxCount).contains(sameBoxes)
        else {
            throw .malformedReport(reason: "a count of the comparison is not valid")
        }
        guard [baseline, candidate].flatMap({ [$0.ap, $0.ap50] }).compactMap(\.self).allSatisfy(BoxReport.isShare)
        else {
            throw .malformedReport(reason: "a precision of the comparison is not valid")
        }
        try checkModels()
    }
}
