import Foundation

/// The pictures and the figures of a trained model: `card.json` in its folder.
public struct TrainingCard: Sendable, Hashable, Codable {
    /// The model from which the training began.
    public struct Start: Sendable, Hashable, Codable {
        /// The name of the model.
        public var name: String
        /// The SHA-256 of its file.
        public var sha256: String
        /// The number of features that its network computes.
        public var features: Int
        /// Its license; nil if it is not known.
        public var license: String?
    }

    /// A label with the number of its pictures.
    public struct LabelCount: Sendable, Hashable, Codable {
        /// The label.
        public var name: String
        /// The number of pictures that could be used.
        public var pictures: Int
    }

    /// The model's name.
    public var name: String
    /// The SHA-256 of the model's file.
    public var sha256: String
    /// The size of the model's file in bytes.
    public var byteCount: Int
    /// The moment of the training, as ISO 8601 has it, in UTC.
    public var created: String
    /// The model from which the training began.
    public var start: Start
    /// The name of the folder or file of pictures.
    public var source: String
    /// The SHA-256 of all pictures and labels, independent of their names and order.
    public var dataSHA256: String
    /// The labels in the order of the model's outputs.
    public var labels: [LabelCount]
    /// Whether a picture can have several labels.
    public var severalLabels: Bool
    /// The number of pictures that could be used.
    public var pictureCount: Int
    /// The number of files that could not be used.
    public var skippedCount: Int
    /// The number of pictures that are nearly the same as another one.
    public var nearDuplicateCount: Int
    /// The number of pictures on which the figures were measured.
    public var measuredCount: Int
    /// The way in which the figures were measured, in one sentence.
    public var method: String
    /// The share of pictures whose most confident label is right, of models that learned from a part of the pictures.
    public var measuredShare: Double
    /// The same share for this model: with few pictures of a label, it is better than the measured models, because it learned from all.
    public var rightShare: Double
    /// The range in which the share for this model lies with a probability of 95 %.
    public var rightInterval: ShareInterval
    /// The mean of the labels' shares.
    public var meanRecall: Double
    /// The confidence below which the model gives no answer; nil if no answer was right.
    public var confidenceThreshold: Double?
    /// The number of drawn pictures, which have none of the labels.
    public var unrelatedCount: Int
    /// The number of drawn pictures for which the model nevertheless names a label, at its threshold.
    public var unrelatedNamedCount: Int
    /// The inverse of the penalty on the weights.
    public var freedom: Double
    /// Possible faults of the pictures, in sentences.
    public var warnings: [String]
}
