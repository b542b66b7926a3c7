/// The place and the motion of a box: two Kalman filters of constant velocity, one for the center and one for the size.
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
    var center = Covariance(
        positionDeviation: TrackerConstants.noise,
        velocityDeviation: TrackerConstants.initialSpeed
    )
    var size = Covariance(
        positionDeviation: TrackerConstants.sizeNoise,
        velocityDeviation: TrackerConstants.initialGrowth
    )

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
        // A box never shrinks to nothing by mere extrapolation, nor grows without bounds.
        width = min(max(width + velocityWidth * seconds, width / 2), width * 2)
        height = min(max(height + velocityHeight * seconds, height / 2), height * 2)
        center.advance(
            by: seconds,
            positionDrift: TrackerConstants.drift,
            velocityDrift: TrackerConstants.acceleration
        )
        size.advance(by: seconds, positionDrift: TrackerConstants.sizeDrift, velocityDrift: TrackerConstants.growth)
    }

    /// Corrects the motion by a measured box.
    ///
    /// - Parameter noiseScale: how many times less exact than usual the measurement is.
    mutating func correct(with box: PixelRect, noiseScale: Double) {
        let gain = center.correct(deviation: TrackerConstants.noise * noiseScale)
        let offX = box.midX - midX
        let offY = box.midY - midY
        midX += gain.position * offX
        midY += gain.position * offY
        velocityX += gain.velocity * offX
        velocityY += gain.velocity * offY
        let sizeGain = size.correct(deviation: TrackerConstants.sizeNoise * noiseScale)
        let offWidth = box.width - width
        let offHeight = box.height - height
        width += sizeGain.position * offWidth
        height += sizeGain.position * offHeight
        velocityWidth += sizeGain.velocity * offWidth
        velocityHeight += sizeGain.velocity * offHeight
    }

    /// Moves the box with the camera.
    mutating func move(with camera: CameraMotion) {
        (midX, midY) = camera.applied(toX: midX, y: midY)
        (velocityX, velocityY) = camera.turned(x: velocityX, y: velocityY)
        width *= camera.scale
        height *= camera.scale
        velocityWidth *= camera.scale
        velocityHeight *= camera.scale
    }
}
