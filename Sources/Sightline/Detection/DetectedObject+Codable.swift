extension DetectedObject: Codable {
    private enum CodingKeys: String, CodingKey {
        case frame, confidence, objectConfidence, classIndex, labels, points, mask
    }

    /// Decodes the form that `encode(to:)` writes.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        frame = try values.decode(PixelRect.self, forKey: .frame)
        let confidence = try values.decode(Float.self, forKey: .confidence)
        objectConfidence = try values.decodeIfPresent(Float.self, forKey: .objectConfidence) ?? confidence
        classIndex = try values.decodeIfPresent(Int.self, forKey: .classIndex)
        labels = try values.decode([Label].self, forKey: .labels)
        mask = try values.decodeIfPresent(ObjectMask.self, forKey: .mask)
        points = try values.decodeIfPresent([ObjectPoint].self, forKey: .points)
        track = try Track.isPresent(in: decoder) ? Track(from: decoder) : nil
    }

    /// Encodes the object as the command `sightline` prints it, with `objectConfidence` where it differs from `confidence`; the keys of
    /// the track are added to those of the object.
    ///
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(frame, forKey: .frame)
        try values.encode(confidence, forKey: .confidence)
        if objectConfidence != confidence { try values.encode(objectConfidence, forKey: .objectConfidence) }
        try values.encodeIfPresent(classIndex, forKey: .classIndex)
        try values.encode(labels, forKey: .labels)
        try values.encodeIfPresent(mask, forKey: .mask)
        try values.encodeIfPresent(points, forKey: .points)
        try track?.encode(to: encoder)
    }
}
