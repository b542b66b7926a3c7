import Foundation

/// Fits the similarity that brings one picture onto another.
struct SimilarityFit {
    /// A place of the picture that can be recognized: coordinates from the center, brightness from the middle gray, and its
    /// slopes.
    private struct Point {
        let x: Float
        let y: Float
        let value: Float
        let slopeX: Float
        let slopeY: Float
        /// Whether an object covers the place.
        let isCovered: Bool
    }

    private let size: PixelSize
    private var points: [Point] = []

    /// The largest number of places that are compared.
    private static let maximumPoints = 1200
    /// The smallest number of places that determine a similarity.
    private static let minimumPoints = 24
    /// The squared slope from which a place can be recognized, in brightness steps a pixel.
    private static let minimumSlope: Float = 9
    private static let iterations = 6
    private static let middleGray: Float = 128

    /// The margin around objects, in pixels and as a part of the object: their edges lie a little beside their boxes.
    private static let objectMargin = (pixels: 2.0, share: 0.1)
    /// The smallest number of places in a part of the picture that speak for it.
    private static let minimumPointsInPart = 3

    /// The share of the recognizable structure that a similarity brings onto the other picture.
    struct Agreement {
        /// The share of the structure.
        let share: Double
        /// The share of the structure that no object covers; nil if there is too little of it.
        let backgroundShare: Double?
        /// The number of the nine parts of the picture in which structure agrees.
        let parts: Int
    }

    /// Chooses the places with the steepest slopes, as many as are needed.
    init(_ picture: GrayPicture, besides objects: [PixelRect] = []) {
        size = picture.size
        let (width, height) = (size.width, size.height)
        guard width > 2, height > 2 else { return }
        let (centerX, centerY) = (Float(width - 1) / 2, Float(height - 1) / 2)
        let isCovered = Self.cover(size, objects)
        for row in 1..<height - 1 {
            for column in 1..<width - 1 {
                let slopeX = (picture[column + 1, row] - picture[column - 1, row]) / 2
                let slopeY = (picture[column, row + 1] - picture[column, row - 1]) / 2
                guard slopeX * slopeX + slopeY * slopeY >= Self.minimumSlope else { continue }
                points.append(
                    Point(
                        x: Float(column) - centerX,
                        y: Float(row) - centerY,
                        value: picture[column, row] - Self.middleGray,
                        slopeX: slopeX,
                        slopeY: slopeY,
                        isCovered: !isCovered.isEmpty && isCovered[row * width + column]
                    )
                )
            }
        }
        guard points.count > Self.maximumPoints else { return }
        // Every n-th, so that they stay spread over the whole picture.
        let step = Double(points.count) / Double(Self.maximumPoints)
        points = (0..<Self.maximumPoints).map { points[Int(Double($0) * step)] }
    }

    /// Which pixels objects cover; empty if there are no objects.
    private static func cover(_ size: PixelSize, _ objects: [PixelRect]) -> [Bool] {
        guard !objects.isEmpty else { return [] }
        var isCovered = [Bool](repeating: false, count: size.width * size.height)
        for object in objects {
            let (x, y) = (
                objectMargin.pixels + objectMargin.share * object.width,
                objectMargin.pixels + objectMargin.share * object.height
            )
            let grown = PixelRect(
                x: object.x - x,
                y: object.y - y,
                width: object.width + 2 * x,
                height: object.height + 2 * y
            )
            guard let inside = grown.intersection(PixelRect(size)) else { continue }
            for row in Int(inside.y)..<min(Int(inside.maxY.rounded(.up)), size.height) {
                let start = row * size.width
                for column in Int(inside.x)..<min(Int(inside.maxX.rounded(.up)), size.width) {
                    isCovered[start + column] = true
                }
            }
        }
        return isCovered
    }

    /// Improves a similarity, step by step.
    ///
    /// - Returns: the better similarity, and how far the places agree with it, weighted by how recognizable they are; nil if there
    ///   are too few places.
    func fit(
        _ initial: CenteredSimilarity,
        to target: GrayPicture
    ) -> (similarity: CenteredSimilarity, agreement: Agreement)? {
        guard points.count >= Self.minimumPoints, target.size == size else { return nil }
        var similarity = initial
        var light = Light()
        // From lenient to strict: first differences are those of a wrong position.
        var tolerance: Float = 32
        for _ in 0..<Self.iterations {
            guard let step = step(from: similarity, light: light, to: target, tolerance: tolerance) else { return nil }
            tolerance = max(tolerance / 1.5, 10)
            similarity.a += step[0]
            similarity.b += step[1]
            similarity.x += step[2]
            similarity.y += step[3]
            light.offset += Float(step[4])
            light.contrast += Float(step[5])
            let reach = Double(size.width) * max(abs(step[0]), abs(step[1]))
            if max(abs(step[2]), abs(step[3])) + reach < 0.005 { break }
        }
        guard [similarity.a, similarity.b, similarity.x, similarity.y].allSatisfy(\.isFinite) else { return nil }
        return (similarity, agreement(similarity, light: light, in: target))
    }

    /// The change of the light from one picture to the other.
    private struct Light {
        var offset: Float = 0
        var contrast: Float = 1

        /// The brightness in the other picture, counted from the middle gray.
        func applied(to value: Float) -> Float { contrast * value + offset }
    }

    /// One Gauss-Newton step: the changes of a, b, x, y and of the two numbers of light; nil if the places do not
    /// determine a step.
    private func step(
        from similarity: CenteredSimilarity,
        light: Light,
        to target: GrayPicture,
        tolerance: Float
    ) -> SIMD8<Double>? {
        var equations = NormalEquations()
        for point in points {
            guard let value = Self.value(of: target, at: point, moved: similarity) else { continue }
            let difference = light.applied(to: point.value) - value
            let ratio = difference / tolerance
            let root = 1 / (1 + ratio * ratio)
            let turned = point.slopeY * point.x - point.slopeX * point.y
            equations.add(
                SIMD8(
                    Double(point.slopeX * point.x + point.slopeY * point.y),
                    Double(turned),
                    Double(point.slopeX),
                    Double(point.slopeY),
                    -1,
                    -Double(point.value),
                    0,
                    0
                ),
                difference: Double(difference),
                weight: Double(root * root)
            )
        }
        return equations.solved()
    }

    private func agreement(_ similarity: CenteredSimilarity, light: Light, in target: GrayPicture) -> Agreement {
        var (all, background) = (Balance(), Balance())
        var parts = [Int](repeating: 0, count: 9)
        func third(_ place: Float, of side: Int) -> Int {
            min(max(Int((place / Float(side) + 0.5) * 3), 0), 2)
        }
        for point in points {
            guard let value = Self.value(of: target, at: point, moved: similarity) else { continue }
            let slope = (point.slopeX * point.slopeX + point.slopeY * point.slopeY).squareRoot()
            // Within half a pixel, and the noise of a few brightness steps.
            let agrees = abs(light.applied(to: point.value) - value) <= 4 + slope / 2
            all.add(slope, agrees: agrees)
            if !point.isCovered { background.add(slope, agrees: agrees) }
            if agrees { parts[third(point.y, of: size.height) * 3 + third(point.x, of: size.width)] += 1 }
        }
        return Agreement(
            share: all.share,
            backgroundShare: background.count >= Self.minimumPoints ? background.share : nil,
            parts: parts.count { $0 >= Self.minimumPointsInPart }
        )
    }

    /// Structure, and how much of it agrees.
    private struct Balance {
        private var agreeing: Float = 0
        private var all: Float = 0
        private(set) var count = 0

        var share: Double { all > 0 ? Double(agreeing / all) : 0 }

        mutating func add(_ weight: Float, agrees: Bool) {
            all += weight
            count += 1
            if agrees { agreeing += weight }
        }
    }

    /// The brightness, between four pixels, where a place should be found; nil outside the picture.
    private static func value(
        of picture: GrayPicture,
        at point: Point,
        moved similarity: CenteredSimilarity
    ) -> Float? {
        let (a, b) = (Float(1 + similarity.a), Float(similarity.b))
        let x = a * point.x - b * point.y + Float(similarity.x) + Float(picture.size.width - 1) / 2
        let y = b * point.x + a * point.y + Float(similarity.y) + Float(picture.size.height - 1) / 2
        guard x >= 0, y >= 0, x < Float(picture.size.width - 1), y < Float(picture.size.height - 1) else { return nil }
        let (column, row) = (Int(x), Int(y))
        let (fractionX, fractionY) = (x - Float(column), y - Float(row))
        let upper = picture[column, row] * (1 - fractionX) + picture[column + 1, row] * fractionX
        let lower = picture[column, row + 1] * (1 - fractionX) + picture[column + 1, row + 1] * fractionX
        return upper * (1 - fractionY) + lower * fractionY - middleGray
    }
}

/// Weighted least squares in six unknowns.
private struct NormalEquations {
    /// The rows of the matrix, in the first six of the eight lanes.
    private var matrix = [SIMD8<Double>](repeating: .zero, count: unknowns)
    private var right = SIMD8<Double>.zero

    private static let unknowns = 6
    /// The weight that holds an unknown which the equations leave open, as a share of the largest weight.
    private static let damping = 1e-5

    mutating func add(_ row: SIMD8<Double>, difference: Double, weight: Double) {
        let weighted = row * weight
        for unknown in 0..<Self.unknowns { matrix[unknown] += weighted * row[unknown] }
        right += weighted * difference
    }

    /// The unknowns, by elimination; the damped matrix is positive definite, so that no rows need be exchanged.
    func solved() -> SIMD8<Double>? {
        var (matrix, right) = (matrix, right)
        for unknown in 0..<Self.unknowns {
            let weight = matrix[unknown][unknown]
            matrix[unknown][unknown] += Self.damping * weight + 1e-3
        }
        for pivot in 0..<Self.unknowns {
            let divisor = matrix[pivot][pivot]
            guard divisor > 1e-9, divisor.isFinite else { return nil }
            for row in (pivot + 1)..<Self.unknowns {
                let factor = matrix[row][pivot] / divisor
                matrix[row] -= matrix[pivot] * factor
                right[row] -= right[pivot] * factor
            }
        }
        var solution = SIMD8<Double>.zero
        for unknown in (0..<Self.unknowns).reversed() {
            let known = (matrix[unknown] * solution).sum()
            solution[unknown] = (right[unknown] - known) / matrix[unknown][unknown]
        }
        return solution
    }
}
