extension Track: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, detected, firstSeen, age, lastSeen, lost
    }

    /// Whether an object's JSON has the keys of a track.
    static func isPresent(in decoder: any Decoder) throws -> Bool {
        try decoder.container(keyedBy: CodingKeys.self).contains(.firstSeen)
    }

    /// Decodes the form that `encode(to:)` writes; ``detectionIndex`` is nil.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let id = try values.decodeIfPresent(Int.self, forKey: .id)
        let isLost = try values.decodeIfPresent(Bool.self, forKey: .lost) ?? false
        state = id.map { isLost ? .lost(id: $0) : .confirmed(id: $0) } ?? .tentative
        firstSeen = try values.decodeSeconds(forKey: .firstSeen)
        age = try values.decodeSeconds(forKey: .age)
        isDetected = try values.decode(Bool.self, forKey: .detected)
        lastSeen = try values.contains(.lastSeen) ? values.decodeSeconds(forKey: .lastSeen) : firstSeen + age
    }

    /// Encodes the track as the command `sightline` prints it: times are in seconds, `lastSeen` is present only where it
    /// is not the time of the frame, `lost` only for a lost object.
    ///
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(id, forKey: .id)
        try values.encode(isDetected, forKey: .detected)
        try values.encode(firstSeen.inSeconds, forKey: .firstSeen)
        try values.encode(age.inSeconds, forKey: .age)
        if lastSeen.since(firstSeen) != age { try values.encode(lastSeen.inSeconds, forKey: .lastSeen) }
        if case .lost = state { try values.encode(true, forKey: .lost) }
    }
}
