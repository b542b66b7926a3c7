extension KeyedDecodingContainer {
    /// Decodes a time in seconds, rounded to a nanosecond.
    ///
    /// - Throws: `DecodingError`, also for a number that no `Duration` holds.
    func decodeSeconds(forKey key: Key) throws -> Duration {
        let seconds = try decode(Double.self, forKey: key)
        guard abs(seconds) < 1e15 else {
            throw DecodingError.dataCorruptedError(
                forKey: key,
                in: self,
                debugDescription: "\(seconds) seconds are beyond all streams; expected a number within ±10^15."
            )
        }
        return Duration(attoseconds: Int128((seconds * 1e9).rounded()) * 1_000_000_000)
    }
}
