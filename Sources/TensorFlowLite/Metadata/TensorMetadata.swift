/// What a model's author wrote about an input or output.
public struct TensorMetadata: Sendable, Hashable {
    /// What the tensor is called for people; it need not be the tensor's name in the model.
    public let name: String?
    /// What the tensor holds.
    public let description: String?
    /// How pixel values become elements of the input.
    public let normalization: Normalization?
    /// The score below which results are to be dropped.
    public let scoreThreshold: Float?
    /// What kind of thing the tensor holds.
    public let content: Content
    /// The positions along the last axis, or the like, that `content` applies to.
    public let contentRange: ClosedRange<Int>?
    /// The least values that elements take, one for all or one per channel; empty where nothing is said.
    public let minimumValues: [Float]
    /// The greatest values that elements take, one for all or one per channel; empty where nothing is said.
    public let maximumValues: [Float]
    /// The packed files that concern the tensor, for example its labels.
    public let associatedFiles: [AssociatedFile]
}

extension TensorMetadata {
    /// element = (pixel value − mean) ÷ standard deviation, with one pair for all channels or one per channel.
    public struct Normalization: Sendable, Hashable {
        /// What is subtracted.
        public let mean: [Float]
        /// What is divided by. Never 0.
        public let standardDeviation: [Float]

        /// Creates a normalization.
        public init(mean: [Float], standardDeviation: [Float]) {
            self.mean = mean
            self.standardDeviation = standardDeviation
        }
    }

    /// The kind of thing that a tensor holds.
    public enum Content: Sendable, Hashable {
        /// Nothing is said.
        case unknown
        /// Numbers without further meaning, for example scores.
        case feature
        /// A picture; the size is what the author suggests, in pixels.
        case image(ColorSpace, width: Int?, height: Int?)
        /// Boxes: `order` tells at which position each of the type's four numbers stands.
        case boundingBox(BoundingBox, coordinates: Coordinates, order: [Int])
        /// Sound.
        case audio
    }

    /// The colors of a picture.
    public enum ColorSpace: Sendable, Hashable {
        /// Nothing is said.
        case unknown
        /// Red, green, blue.
        case rgb
        /// One channel.
        case grayscale
    }

    /// The four numbers of a box.
    public enum BoundingBox: Sendable, Hashable {
        /// Nothing is said.
        case unknown
        /// Left, top, right, bottom.
        case boundaries
        /// Left, top, width, height.
        case upperLeft
        /// Center x, center y, width, height.
        case center
    }

    /// The units of a box.
    public enum Coordinates: Sendable, Hashable {
        /// Fractions of the picture's width and height.
        case ratio
        /// Pixels.
        case pixel
    }
}
