extension StreamResult: Codable {
    private enum CodingKeys: String, CodingKey {
        case index, time, width, height, detected, damaged, dropped, objects, tentative, unnamed, ended, milliseconds
    }

    /// Decodes the form that `encode(to:)` writes, and a line of `sightline track --format jsonl`, also of one with `--no-times`.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            timestamp: try values.decodeSeconds(forKey: .time),
            index: try values.decode(Int.self, forKey: .index),
            size: PixelSize(
                width: try values.decode(Int.self, forKey: .width),
                height: try values.decode(Int.self, forKey: .height)
            ),
            objects: try values.decode([DetectedObject].self, forKey: .objects),
            tentative: try values.decodeIfPresent([DetectedObject].self, forKey: .tentative) ?? [],
            unnamed: try values.decodeIfPresent([Int].self, forKey: .unnamed) ?? [],
            ended: try values.decodeIfPresent([Int].self, forKey: .ended) ?? [],
            isDamaged: try values.decodeIfPresent(Bool.self, forKey: .damaged) ?? false,
            isDetected: try values.decode(Bool.self, forKey: .detected),
            droppedFrames: try values.decode(Int.self, forKey: .dropped),
            timings: try values.decodeIfPresent(StageTimings.self, forKey: .milliseconds) ?? StageTimings()
        )
    }

    /// Encodes the result as the command `sightline` prints it, with times in seconds. `damaged` is present only for a damaged
    /// frame; `unnamed`, and `tentative` and `ended`, which the command leaves out, only where they are not empty.
    ///
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(index, forKey: .index)
        try values.encode(timestamp.inSeconds, forKey: .time)
        try values.encode(size.width, forKey: .width)
        try values.encode(size.height, forKey: .height)
        try values.encode(isDetected, forKey: .detected)
        if isDamaged { try values.encode(isDamaged, forKey: .damaged) }
        try values.encode(droppedFrames, forKey: .dropped)
        try values.encode(objects, forKey: .objects)
        if !tentative.isEmpty { try values.encode(tentative, forKey: .tentative) }
        if !unnamed.isEmpty { try values.encode(unnamed, forKey: .unnamed) }
        if !ended.isEmpty { try values.encode(ended, forKey: .ended) }
        try values.encode(timings, forKey: .milliseconds)
    }
}
