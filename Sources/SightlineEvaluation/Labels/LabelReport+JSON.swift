import Foundation

extension LabelReport {
    /// Reads a report that another process wrote, and checks it.
    ///
    /// - Parameter json: what `JSONEncoder` makes of a report.
    /// - Throws: `EvaluationError.malformedReport`.
    public init(json: Data) throws(EvaluationError) {
        do {
            self = try JSONDecoder().decode(LabelReport.self, from: json)
        } catch {
            throw .malformedReport(reason: "it is not the JSON of one")
        }
        try check()
    }

    /// Checks a report that another process wrote, which need not be one that this module could have made: every position of a
    /// label is one, and no count is so large that a sum of counts could overflow.
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
            throw .malformedReport(reason: "it speaks of a label that it does not list")
        }
    }
}
