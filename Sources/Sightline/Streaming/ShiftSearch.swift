/// Tries all shifts of a very small picture.
enum ShiftSearch {
    /// The shift, in whole pixels and at most a quarter of the picture, that makes two pictures differ least.
    ///
    /// Values are compared by their distance from their picture's mean, in relation to its contrast, so that a camera that
    /// adapts to light does not disturb. Large differences count no more than medium differences, so that a moving object does
    /// not decide.
    static func bestShift(from previous: GrayPicture, to current: GrayPicture) -> CenteredSimilarity {
        let (width, height) = (previous.size.width, previous.size.height)
        guard current.size == previous.size else { return CenteredSimilarity() }
        let (from, to) = (normalized(previous.values), normalized(current.values))
        let (reachX, reachY) = (width / 4, height / 4)
        var (best, bestX, bestY) = (Float.infinity, 0, 0)
        for shiftY in -reachY...reachY {
            for shiftX in -reachX...reachX {
                let columns = max(0, -shiftX)..<min(width, width - shiftX)
                let rows = max(0, -shiftY)..<min(height, height - shiftY)
                var sum: Float = 0
                for row in rows {
                    let (start, shifted) = (row * width, (row + shiftY) * width + shiftX)
                    for column in columns {
                        sum += min(abs(from[start + column] - to[shifted + column]), largestDifference)
                    }
                }
                var mean = sum / Float(columns.count * rows.count)
                // Among equal shifts the shortest: pictures without structure stand still.
                mean += 0.02 * Float(abs(shiftX) + abs(shiftY))
                if mean < best { (best, bestX, bestY) = (mean, shiftX, shiftY) }
            }
        }
        return CenteredSimilarity(x: Double(bestX), y: Double(bestY))
    }

    /// In units of the usual contrast.
    private static let largestDifference: Float = 40
    private static let usualContrast: Float = 45
    private static let strongestAmplification: Float = 3

    /// Values with the mean zero and the usual contrast; a picture without any is hardly amplified.
    private static func normalized(_ values: [Float]) -> [Float] {
        let count = Float(max(values.count, 1))
        let mean = values.reduce(0, +) / count
        let contrast = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count).squareRoot()
        let factor = min(usualContrast / max(contrast, 1), strongestAmplification)
        return values.map { ($0 - mean) * factor }
    }
}
