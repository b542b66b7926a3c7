/// Finds where a picture differs from a reference picture by more than the usual noise of the place.
///
/// Each place of a small gray copy has a running mean and variance of its brightness (C. R. Wren and others, "Pfinder: real-time tracking
/// of the human body", 1997), so that a place that flickers, as under rain or in the branches of a tree, raises its own threshold. What is
/// beyond four standard deviations counts as four: an object that passes hardly teaches anything.
///
/// Cost: some 0.15 ms for 240 × 135 places.
struct ChangeDetector: Sendable {
    private var size = PixelSize(width: 0, height: 0)
    /// The running mean of the last few pictures, which is compared: rain and noise come and go, and objects stay.
    private var smoothed: [Float] = []
    private var reference: [Float] = []
    private var mean: [Float] = []
    private var variance: [Float] = []
    /// The number of pictures that were learned.
    private var count = 0
    private enum Mark: UInt8 { case unchanged, changed, counted }
    // Scratch space, kept to spare allocations.
    private var marks: [Mark] = []
    private var isHeld: [Bool] = []
    private var stack: [Int] = []

    /// The smallest standard deviation: rounding and compression cause it everywhere, in brightness steps.
    private static let leastDeviation: Float = 1.2
    /// The difference that is a change, in standard deviations.
    private static let changedDeviations: Float = 5
    /// The largest difference from the mean that is learned, in standard deviations.
    private static let learnedDeviations: Float = 4
    /// The time over which pictures are smoothed, in seconds, about: one or two frames of a fast camera.
    private static let smoothingSeconds = 0.06
    /// The time over which the mean runs, in seconds, about: longer than a branch needs to swing back.
    private static let meanSeconds = 3.0
    /// The time over which the variance runs, in seconds, about.
    private static let varianceSeconds = 10.0
    /// The largest weights of a picture, for streams with few pictures.
    private static let largestWeight = (mean: Float(0.5), variance: Float(0.2))
    /// The share of the places beyond which a change is not noise: the light has changed or the camera has moved, and the detector starts over.
    private static let largestShare: Float = 0.75
    /// The smallest number of connected places that are a change; two by two of them must form a square.
    static let leastArea = 8

    /// Begins with a picture, which is the reference.
    private mutating func begin(_ picture: GrayPicture) {
        size = picture.size
        (smoothed, reference, mean) = (picture.values, picture.values, picture.values)
        variance = [Float](repeating: Self.leastDeviation * Self.leastDeviation, count: picture.values.count)
        marks = [Mark](repeating: .unchanged, count: picture.values.count)
        count = 1
    }

    /// Makes the picture that was compared last the reference.
    mutating func refer() { reference = smoothed }

    /// Compares a picture with the reference, and learns its noise.
    ///
    /// - Parameters:
    ///   - seconds: the time since the last picture.
    ///   - objects: the boxes in which nothing is learned, in places of the picture: what moves there is not noise.
    /// - Returns: whether a part of the picture has changed that is large enough; true for the first picture and another size.
    mutating func finds(_ picture: GrayPicture, after seconds: Double, besides objects: [PixelRect] = []) -> Bool {
        guard picture.size == size else {
            begin(picture)
            return true
        }
        smooth(picture.values, after: seconds)
        let changed = compare()
        guard Float(changed) <= Self.largestShare * Float(picture.values.count) else {
            begin(picture)
            return true
        }
        learn(after: seconds, besides: objects)
        return changed >= Self.leastArea && hasConnectedArea()
    }

    private mutating func smooth(_ values: [Float], after seconds: Double) {
        // A picture that comes at the same time counts whole.
        let weight = seconds > 0 ? Float(seconds / (seconds + Self.smoothingSeconds)) : 1
        for index in values.indices { smoothed[index] += weight * (values[index] - smoothed[index]) }
    }

    /// Marks the places that differ from the reference, and counts them.
    private mutating func compare() -> Int {
        let factor = Self.changedDeviations * Self.changedDeviations
        var changed = 0
        for index in smoothed.indices {
            let difference = smoothed[index] - reference[index]
            let differs = difference * difference > factor * variance[index]
            marks[index] = differs ? .changed : .unchanged
            changed += differs ? 1 : 0
        }
        return changed
    }

    private mutating func learn(after seconds: Double, besides objects: [PixelRect]) {
        count += 1
        // The first pictures count equally.
        let first = 1 / Float(count)
        let meanWeight = max(first, min(Float(seconds / Self.meanSeconds), Self.largestWeight.mean))
        let varianceWeight = max(first, min(Float(seconds / Self.varianceSeconds), Self.largestWeight.variance))
        let factor = Self.learnedDeviations * Self.learnedDeviations
        let least = Self.leastDeviation * Self.leastDeviation
        hold(objects)
        let holds = !objects.isEmpty
        // Motion in the first pictures is not taken for noise, of which nothing is known yet.
        let isFirst = varianceWeight == first
        for index in smoothed.indices where !holds || !isHeld[index] {
            let difference = smoothed[index] - mean[index]
            mean[index] += meanWeight * difference
            let square = min(difference * difference, factor * (isFirst ? least : variance[index]))
            variance[index] = max(variance[index] + varianceWeight * (square - variance[index]), least)
        }
    }

    /// Marks the places in boxes, with a margin for parts of an object outside of its box.
    private mutating func hold(_ objects: [PixelRect]) {
        guard !objects.isEmpty else { return }
        isHeld = [Bool](repeating: false, count: size.width * size.height)
        for object in objects {
            let margin = 1 + max(object.width, object.height) / 10
            let grown = PixelRect(
                x: object.x - margin,
                y: object.y - margin,
                width: object.width + 2 * margin,
                height: object.height + 2 * margin
            )
            guard let inside = grown.intersection(PixelRect(size)) else { continue }
            for row in Int(inside.y)..<min(Int(inside.maxY.rounded(.up)), size.height) {
                for column in Int(inside.x)..<min(Int(inside.maxX.rounded(.up)), size.width) {
                    isHeld[row * size.width + column] = true
                }
            }
        }
    }

    /// Whether enough changed places touch each other, by sides or corners, and are not a line, as raindrops are.
    private mutating func hasConnectedArea() -> Bool {
        for start in marks.indices where marks[start] == .changed {
            stack.removeAll(keepingCapacity: true)
            marks[start] = .counted
            stack.append(start)
            var (area, isThick) = (0, false)
            while let place = stack.popLast() {
                area += 1
                isThick = isThick || isCornerOfSquare(place)
                if area >= Self.leastArea, isThick { return true }
                let (row, column) = (place / size.width, place % size.width)
                for nextRow in max(row - 1, 0)...min(row + 1, size.height - 1) {
                    for nextColumn in max(column - 1, 0)...min(column + 1, size.width - 1) {
                        let next = nextRow * size.width + nextColumn
                        guard marks[next] == .changed else { continue }
                        marks[next] = .counted
                        stack.append(next)
                    }
                }
            }
        }
        return false
    }

    /// Whether two by two places have changed, of which this is the first.
    private func isCornerOfSquare(_ place: Int) -> Bool {
        guard place % size.width < size.width - 1, place / size.width < size.height - 1 else { return false }
        return [place + 1, place + size.width, place + size.width + 1].allSatisfy { marks[$0] != .unchanged }
    }
}
