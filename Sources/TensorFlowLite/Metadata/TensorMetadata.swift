/// The author's description of an input or output.
public struct TensorMetadata: Sendable, Hashable {
    /// A name for people, which may differ from the tensor's name in the model.
    public let name: String?
    /// A description of the tensor.
    public let description: String?
    /// The conversion of pixel values to elements of the input.
    public let normalization: Normalization?
    /// The score below which results should be dropped.
    public let scoreThreshold: Float?
    /// The kind of content in the tensor.
    public let content: Content
    /// The positions along the last axis that `content` applies to.
    public let contentRange: ClosedRange<Int>?
    /// The smallest values of the elements: one for all channels or one per channel; empty if the metadata does not
    /// state them.
    public let minimumValues: [Float]
    /// The largest values of the elements: one for all channels or one per channel; empty if the metadata does not
    /// state them.
    public let maximumValues: [Float]
    /// The packed files that describe the tensor, for example its labels.
    public let associatedFiles: [AssociatedFile]
}

extension TensorMetadata {
    /// element = (pixel value − mean) ÷ standard deviation, with one pair for all channels or one per channel.
    public struct Normalization: Sendable, Hashable {
        /// The numbers to subtract.
        public let mean: [Float]
        /// The numbers to divide by. Never 0.
        public let standardDeviation: [Float]

        /// Creates a normalization.
        public init(mean: [Float], standardDeviation: [Float]) {
            self.mean = mean
            self.standardDeviation = standardDeviation
        }
    }

    /// The kind of content in a tensor.
    public enum Content: Sendable, Hashable {
        /// The metadata does not state the content.
        case unknown
        /// Numbers without further meaning, for example scores.
        case feature
        /// A picture; the size is the author's suggestion, in pixels.
        case image(ColorSpace, width: Int?, height: Int?)
        /// Boxes: `order` lists the position of each of the four numbers of `BoundingBox`.
        case boundingBox(BoundingBox, coordinates: Coordinates, order: [Int])
        /// Sound.
        case audio
    }

    /// The color space of a picture.
    public enum ColorSpace: Sendable, Hashable {
        /// The metadata does not state the color space.
        case unknown
        /// Red, green, blue.
        case rgb
        /// One channel.
        case grayscale
    }

    /// The four numbers of a box.
    public enum BoundingBox: Sendable, Hashable {
        /// The metadata does not state the numbers.
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
