/// A named point of an object, such as an eye of a face.
public struct ObjectPoint: Sendable, Hashable {
    /// The meaning of a point.
    public struct Name: RawRepresentable, Sendable, Hashable, Codable {
        /// The name as results have it.
        public let rawValue: String

        /// A name, whether Sightline knows it or not.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The meaning of the point.
    public var name: Name
    /// Where the point is, in pixels of the upright picture. It may lie outside the object's frame, and outside the picture.
    public var position: PixelPoint
    /// The confidence that the point is there, 0…1; nil where the model gives none.
    public var confidence: Float?

    /// Creates a point.
    ///
    /// - Parameters:
    ///   - name: the meaning of the point.
    ///   - position: where the point is, in pixels of the upright picture.
    ///   - confidence: the confidence that the point is there, 0…1; nil where it is unknown.
    public init(_ name: Name, at position: PixelPoint, confidence: Float? = nil) {
        (self.name, self.position, self.confidence) = (name, position, confidence)
    }
}

extension ObjectPoint: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, x, y, confidence
    }

    /// Decodes the form that `encode(to:)` writes.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(Name.self, forKey: .name)
        position = PixelPoint(
            x: try values.decode(Double.self, forKey: .x),
            y: try values.decode(Double.self, forKey: .y)
        )
        confidence = try values.decodeIfPresent(Float.self, forKey: .confidence)
    }

    /// Encodes the point as the command `sightline` prints it: `name`, `x`, `y`, and `confidence` where there is one.
    ///
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name, forKey: .name)
        try values.encode(position.x, forKey: .x)
        try values.encode(position.y, forKey: .y)
        try values.encodeIfPresent(confidence, forKey: .confidence)
    }
}

/// The points of a face. Left and right are those of the person, as a doctor says them.
extension ObjectPoint.Name {
    /// The middle of the person's right eye, which is on the left of a picture of the face from the front.
    public static let rightEye = Self(rawValue: "rightEye")
    /// The middle of the person's left eye.
    public static let leftEye = Self(rawValue: "leftEye")
    /// The tip of the nose.
    public static let noseTip = Self(rawValue: "noseTip")
    /// The middle of the mouth.
    public static let mouthCenter = Self(rawValue: "mouthCenter")
    /// The tragion of the person's right ear: the notch above the small lobe before the ear canal.
    public static let rightEarTragion = Self(rawValue: "rightEarTragion")
    /// The tragion of the person's left ear.
    public static let leftEarTragion = Self(rawValue: "leftEarTragion")
}
