extension ModelSidecar {
    /// The boxes of the built-in detector that a classifier names, so that both together are a detector of the classifier's labels.
    ///
    /// The confidence of a label for a box is p · c^exponent, with the probability p of the label and the confidence c of the box.
    public struct Proposals: Sendable, Hashable, Codable {
        /// The confidence, 0…1, from which a box of the built-in detector is named.
        public var threshold: Float = 0.05
        /// The largest number of boxes of a picture that are named, the most confident of them.
        public var maximum = 30
        /// The share of its width and height by which a box is wider on each side when it is named.
        public var margin: Float = 0
        /// The power of the box's confidence: 0 where the probability of the label alone counts.
        public var exponent: Float = 0.3

        enum CodingKeys: String, CodingKey, CaseIterable {
            case threshold, maximum, margin, exponent
        }

        /// Creates the description of a pair with the usual numbers.
        public init() {}

        /// Reads the fields that the file has; the rest keep their defaults.
        public init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            func read<Value: Decodable & Comparable>(
                _ key: CodingKeys,
                into value: inout Value,
                in range: ClosedRange<Value>
            ) throws {
                guard let found = try fields.decodeIfPresent(Value.self, forKey: key) else { return }
                guard range.contains(found) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: key,
                        in: fields,
                        debugDescription: "it is \(found), expected \(range.lowerBound) to \(range.upperBound)"
                    )
                }
                value = found
            }
            try read(.threshold, into: &threshold, in: 0...1)
            try read(.maximum, into: &maximum, in: 1...300)
            try read(.margin, into: &margin, in: 0...1)
            try read(.exponent, into: &exponent, in: 0...4)
        }

        /// The part of a picture that is named for a box.
        ///
        /// - Parameters:
        ///   - frame: The box, in pixels of the upright picture.
        ///   - size: The size of the picture.
        package func region(of frame: PixelRect, in size: PixelSize) -> PixelRect {
            let (x, y) = (Double(margin) * frame.width, Double(margin) * frame.height)
            let wider = PixelRect(
                x: frame.x - x,
                y: frame.y - y,
                width: frame.width + 2 * x,
                height: frame.height + 2 * y
            )
            return wider.intersection(PixelRect(size)) ?? frame
        }
    }
}

extension ModelSidecar {
    /// The sidecar of a classifier of the built-in detector's boxes.
    package init(proposals: Proposals) {
        self.init()
        self.proposals = proposals
    }
}
