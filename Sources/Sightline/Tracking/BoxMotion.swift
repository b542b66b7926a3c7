/// The place and the motion of a box: a Kalman filter of constant velocity for the center, and of a random walk for the size.
///
/// A size has no velocity. Most of its changes come from limbs, from covers and from the detector, and go back; extrapolated
/// while an object is out of sight, they leave a box that the object does not match when it returns.
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
    var center = Covariance(
        positionDeviation: TrackerConstants.noise,
        velocityDeviation: TrackerConstants.initialSpeed
    )
    /// The variance of the size, in squared fractions of it.
    var sizeVariance = TrackerConstants.sizeNoise * TrackerConstants.sizeNoise

    /// The motion of a box that is seen for the first time.
    init(_ box: PixelRect) {
        midX = box.midX
        midY = box.midY
        width = box.width
        height = box.height
    }

    /// The box where it is expected now.
    var frame: PixelRect { PixelRect(x: midX - width / 2, y: midY - height / 2, width: width, height: height) }

    /// Carries the box on by a number of seconds.
    mutating func advance(by seconds: Double) {
        midX += velocityX * seconds
        midY += velocityY * seconds
        center.advance(
            by: seconds,
            positionDrift: TrackerConstants.drift,
            velocityDrift: TrackerConstants.acceleration
        )
        sizeVariance += TrackerConstants.sizeDrift * TrackerConstants.sizeDrift * seconds
    }

    /// Corrects the motion by a measured box.
    ///
    /// - Parameter noiseScale: the factor by which the measurement is less exact than usual.
    mutating func correct(with box: PixelRect, noiseScale: Double) {
        let gain = center.correct(deviation: TrackerConstants.noise * noiseScale)
        let offX = box.midX - midX
        let offY = box.midY - midY
        midX += gain.position * offX
        midY += gain.position * offY
        velocityX += gain.velocity * offX
        velocityY += gain.velocity * offY
        let sizeDeviation = TrackerConstants.sizeNoise * noiseScale
        let sizeGain = sizeVariance / (sizeVariance + sizeDeviation * sizeDeviation)
        width += sizeGain * (box.width - width)
        height += sizeGain * (box.height - height)
        sizeVariance -= sizeGain * sizeVariance
    }

    /// Moves the box with the camera.
    mutating func move(with camera: CameraMotion) {
        (midX, midY) = camera.applied(toX: midX, y: midY)
        (velocityX, velocityY) = camera.turned(x: velocityX, y: velocityY)
        width *= camera.scale
        height *= camera.scale
    }
}
