extension StageTimings: Codable {
    private enum CodingKeys: String, CodingKey {
        case decoding, preprocessing, inference, postprocessing, tracking, total
    }

    /// Decodes times in milliseconds; a time that is missing is zero.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func time(_ key: CodingKeys) throws -> Duration {
            guard values.contains(key) else { return .zero }
            return try values.decodeSeconds(forKey: key) / 1000
        }
        decoding = try time(.decoding)
        preprocessing = try time(.preprocessing)
        inference = try time(.inference)
        postprocessing = try time(.postprocessing)
        tracking = try time(.tracking)
    }

    /// Encodes the times in milliseconds, and their total.
    ///
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        for (key, time) in [
            (CodingKeys.decoding, decoding), (.preprocessing, preprocessing), (.inference, inference),
            (.postprocessing, postprocessing), (.tracking, tracking), (.total, total),
        ] {
            try values.encode(time / .milliseconds(1), forKey: key)
        }
    }
}
