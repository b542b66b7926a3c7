/// The uncertainty of a position and its velocity, in squared fractions of the object's size: a Kalman filter of constant
/// velocity without the values themselves (R. E. Kalman, "A new approach to linear filtering and prediction problems",
/// Journal of Basic Engineering 82, 1960).
struct Covariance: Sendable, Hashable {
    var position: Double
    var mixed = 0.0
    var velocity: Double

    /// Of a position and a velocity that do not depend on each other, by their standard deviations.
    init(positionDeviation: Double, velocityDeviation: Double) {
        position = positionDeviation * positionDeviation
        velocity = velocityDeviation * velocityDeviation
    }

    /// Time passes: the position follows its velocity, and both wander.
    mutating func advance(by seconds: Double, positionDrift: Double, velocityDrift: Double) {
        position += seconds * (2 * mixed + seconds * velocity) + positionDrift * positionDrift * seconds
        mixed += seconds * velocity
        velocity += velocityDrift * velocityDrift * seconds
    }

    /// The position is measured with a standard deviation; returns the share of the innovation for each part.
    mutating func correct(deviation: Double) -> (position: Double, velocity: Double) {
        let total = position + deviation * deviation
        let gain = (position: position / total, velocity: mixed / total)
        velocity -= gain.velocity * mixed
        mixed -= gain.position * mixed
        position -= gain.position * position
        return gain
    }
}
