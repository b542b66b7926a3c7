import CFFmpeg

extension InputHandle {
    /// The tolerance for a file that ends before its stated time, which is larger if sound shares the stated time.
    private static let toleratedGap = (ofVideo: Duration.milliseconds(500), ofAll: Duration.seconds(5))

    /// Finds out whether a file is cut off. Most formats do not report that.
    ///
    /// - Returns: the reason, after the file was read to its end; nil if it is complete, or states no length.
    func missingPart() -> String? {
        var lengths = CFFInputLengths()
        cff_input_lengths(pointer, &lengths)
        let (claimed, read) = (Duration.microseconds(lengths.claimed), Duration.microseconds(lengths.read))
        let tolerated =
            lengths.isOfVideo ? Self.toleratedGap.ofVideo : max(Self.toleratedGap.ofAll, claimed / 10)
        guard lengths.isKnown, claimed - read > tolerated else { return nil }
        return "it says that it is \(Self.seconds(claimed)) long, but it ends after \(Self.seconds(read))"
    }

    private static func seconds(_ duration: Duration) -> String { "\((duration / .seconds(1) * 10).rounded() / 10) s" }
}
