extension LabelReport {
    /// Checks a report from another process, which may be inconsistent: every position of a label must be valid, and
    /// every count so small that sums cannot overflow.
    ///
    /// - Throws: `EvaluationError.malformedReport`.
    public func check() throws(EvaluationError) {
        let limit = 1 << 40
        let counts =
            [pictureCount, labeledCount, modelLabelCount, skipped.count, mistakeCount]
            + [unknownFolders.count, unknownFolders.pictureCount] + confusion.map(\.count) + calibration.map(\.count)
        guard counts.allSatisfy({ (0...limit).contains($0) }) else {
            throw .malformedReport(reason: "a count is not valid")
        }
        let positions = confusion.flatMap { [$0.truth, $0.answer] }.compactMap(\.self)
        guard positions.allSatisfy({ labels.indices.contains($0) }) else {
            throw .malformedReport(reason: "it refers to a label that it does not list")
        }
    }
}
