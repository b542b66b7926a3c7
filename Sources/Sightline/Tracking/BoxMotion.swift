/// Where a box is and how it moves: two Kalman filters of constant velocity, one for the centre and one for the size.
///
/// Uncertainties are fractions of the object's size, so that one filter serves near and far objects, and times are
/// seconds, so that it serves every frame rate. Both axes share their covariance, for they see the same updates.
struct BoxMotion: Sendable, Hashable {
    var midX: Double
    var midY: Double
    var width: Double
    var height: Double
    var velocityX = 0.0
    var velocityY = 0.0
    var velocityWidth = 0.0
    var velocityHeight = 0.0
    var centre: Covariance
    var size: Covariance

    /// A box seen for the first time.
    init(_ box: PixelRect, tuning: TrackerTuning) {
        midX = box.midX
        midY = box.midY
        width = box.width
        height = box.height
        centre = Covariance(position: tuning.noise * tuning.noise, velocity: tuning.initialSpeed * tuning.initialSpeed)
        size = Covariance(
            position: tuning.sizeNoise * tuning.sizeNoise,
            velocity: tuning.initialGrowth * tuning.initialGrowth
        )
    }

    /// The box as it is expected now.
    var frame: PixelRect { PixelRect(x: midX - width / 2, y: midY - height / 2, width: width, height: height) }

    /// Carries the box on by some seconds.
    mutating func advance(by seconds: Double, tuning: TrackerTuning) {
        midX += velocityX * seconds
        midY += velocityY * seconds
        // A box never shrinks to nothing or grows without bounds by mere extrapolation.
        width = min(max(width + velocityWidth * seconds, width / 2), width * 2)
        height = min(max(height + velocityHeight * seconds, height / 2), height * 2)
        centre.advance(by: seconds, positionDrift: tuning.drift, velocityDrift: tuning.acceleration)
        size.advance(by: seconds, positionDrift: tuning.sizeDrift, velocityDrift: tuning.growth)
    }

    /// Takes in where the box was seen.
    mutating func correct(with box: PixelRect, noiseScale: Double, tuning: TrackerTuning) {
        let gain = centre.correct(noise: tuning.noise * noiseScale)
        let offX = box.midX - midX
        let offY = box.midY - midY
        midX += gain.position * offX
        midY += gain.position * offY
        velocityX += gain.velocity * offX
        velocityY += gain.velocity * offY
        let sizeGain = size.correct(noise: tuning.sizeNoise * noiseScale)
        let offWidth = box.width - width
        let offHeight = box.height - height
        width += sizeGain.position * offWidth
        height += sizeGain.position * offHeight
        velocityWidth += sizeGain.velocity * offWidth
        velocityHeight += sizeGain.velocity * offHeight
    }

    /// Takes in that the camera moved.
    mutating func move(with camera: CameraMotion) {
        (midX, midY) = camera.applied(toX: midX, y: midY)
        (velocityX, velocityY) = camera.turned(x: velocityX, y: velocityY)
        width *= camera.scale
        height *= camera.scale
        velocityWidth *= camera.scale
        velocityHeight *= camera.scale
    }
}

/// How uncertain a position and its velocity are, in squared fractions of the object's size.
struct Covariance: Sendable, Hashable {
    var position: Double
    var mixed = 0.0
    var velocity: Double

    init(position: Double, velocity: Double) {
        self.position = position
        self.velocity = velocity
    }

    /// Time passes: the position follows its velocity, and both wander.
    mutating func advance(by seconds: Double, positionDrift: Double, velocityDrift: Double) {
        position += seconds * (2 * mixed + seconds * velocity) + positionDrift * positionDrift * seconds
        mixed += seconds * velocity
        velocity += velocityDrift * velocityDrift * seconds
    }

    /// The position is measured with a standard deviation; returns how much of the surprise goes to each part.
    mutating func correct(noise: Double) -> (position: Double, velocity: Double) {
        let total = position + noise * noise
        let gain = (position: position / total, velocity: mixed / total)
        velocity -= gain.velocity * mixed
        mixed -= gain.position * mixed
        position -= gain.position * position
        return gain
    }
}
