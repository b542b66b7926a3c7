/// The search for the minimum of a smooth convex function that remembers its last steps instead of second derivatives.
///
/// Source: J. Nocedal, "Updating Quasi-Newton Matrices with Limited Storage", Mathematics of Computation 35 (1980).
struct LBFGS {
    private(set) var point: [Double]
    private static let memory = 8
    private static let halvings = 30

    /// - Parameter point: The point to begin at.
    init(at point: [Double]) { self.point = point }

    /// Moves the point toward the minimum.
    ///
    /// - Parameters:
    ///   - steps: The largest number of steps.
    ///   - tolerance: The search ends when a step lowers the value by less than this part of it.
    ///   - function: The value and the gradient at a point.
    mutating func minimize(
        steps: Int,
        tolerance: Double,
        _ function: ([Double]) throws -> (value: Double, gradient: [Double])
    ) rethrows {
        var (value, gradient) = try function(point)
        var history: [(step: [Double], change: [Double], product: Double)] = []
        for number in 0..<steps {
            var direction = Self.direction(gradient, history)
            var slope = Self.product(direction, gradient)
            if slope >= 0 {
                history = []
                direction = gradient.map { -$0 }
                slope = -Self.product(gradient, gradient)
            }
            guard slope < -1e-18 else { return }
            var length = number == 0 ? min(1, 1 / Self.product(gradient, gradient).squareRoot()) : 1
            var found: (point: [Double], value: Double, gradient: [Double])?
            for _ in 0..<Self.halvings {
                let next = zip(point, direction).map { $0 + length * $1 }
                let (nextValue, nextGradient) = try function(next)
                if nextValue <= value + 1e-4 * length * slope {
                    found = (next, nextValue, nextGradient)
                    break
                }
                length /= 2
            }
            guard let found else { return }
            let step = zip(found.point, point).map { $0 - $1 }
            let change = zip(found.gradient, gradient).map { $0 - $1 }
            let product = Self.product(step, change)
            if product > 1e-18 {
                history.append((step, change, product))
                if history.count > Self.memory { history.removeFirst() }
            }
            let gain = value - found.value
            (point, value, gradient) = found
            if gain <= tolerance * max(abs(value), 1e-3) { return }
        }
    }

    /// Minus the gradient times the inverse of the second derivatives, as far as the steps show them.
    private static func direction(
        _ gradient: [Double],
        _ history: [(step: [Double], change: [Double], product: Double)]
    ) -> [Double] {
        var direction = gradient
        var factors: [Double] = []
        for (step, change, product) in history.reversed() {
            let factor = Self.product(step, direction) / product
            factors.append(factor)
            add(-factor, change, to: &direction)
        }
        if let last = history.last {
            let scale = last.product / Self.product(last.change, last.change)
            for index in direction.indices { direction[index] *= scale }
        }
        for ((step, change, product), factor) in zip(history, factors.reversed()) {
            add(factor - Self.product(change, direction) / product, step, to: &direction)
        }
        return direction.map { -$0 }
    }

    private static func product(_ one: [Double], _ two: [Double]) -> Double {
        var sum = 0.0
        for index in one.indices { sum += one[index] * two[index] }
        return sum
    }

    private static func add(_ factor: Double, _ vector: [Double], to sum: inout [Double]) {
        for index in sum.indices { sum[index] += factor * vector[index] }
    }
}
