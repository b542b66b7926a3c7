import Sightline

extension BoxReport {
    /// Checks a report from another process, which may be inconsistent: every count must be so small that sums cannot
    /// overflow, every precision a share, and every box a place in a picture.
    ///
    /// - Throws: `EvaluationError.malformedReport`.
    public func check() throws(EvaluationError) {
        let counts = [
            pictureCount, objectCount, crowdCount, detectionCount, skipped.count, unknownLabels.count,
            unknownLabels.detectionCount,
        ]
        guard counts.allSatisfy({ (0...1 << 40).contains($0) }), (0...1e9).contains(seconds) else {
            throw .malformedReport(reason: "a count or time is not valid")
        }
        let shares: [Double?] =
            [summary, classAgnostic].compactMap(\.self).flatMap { summary in
                (BoxSummary.rows + BoxSummary.keypointRows).map { $0.value(summary) }
            }
            + categories.flatMap { [$0.ap, $0.ap50, $0.ap75, $0.ar100] } + [bestThreshold]
        guard shares.allSatisfy({ $0.map(Self.isShare) ?? true }) else {
            throw .malformedReport(reason: "a precision or recall is not between 0 and 1")
        }
        guard pictures.count <= Self.maximumPictures,
            pictures.allSatisfy({ $0.boxes.count <= PictureResult.maximumBoxes })
        else {
            throw .malformedReport(reason: "it lists too many pictures or boxes")
        }
        for box in pictures.flatMap(\.boxes) {
            let numbers = [box.frame.x, box.frame.y, box.frame.width, box.frame.height, box.confidence ?? 0]
            guard numbers.allSatisfy({ $0.magnitude <= 1e9 }) else {
                throw .malformedReport(reason: "a box is not a place in a picture")
            }
        }
    }
}

extension BoxReport {
    /// Whether a number is a share. Means of shares can exceed 1 by rounding.
    static func isShare(_ value: Double) -> Bool { (0...1.000_001).contains(value) }
}
