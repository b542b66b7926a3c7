/// The constants of the tracker.
struct TrackerTuning: Sendable, Hashable {
    var noise = 0.05
    var drift = 0.27
    var acceleration = 1.0
    var initialSpeed = 1.0
    var sizeNoise = 0.05
    var sizeDrift = 0.27
    var growth = 0.2
    var initialGrowth = 0.5
    /// Smallest similarity of a match, by pass.
    var minimumHigh = 0.2
    var minimumLow = 0.4
    var minimumTentative = 0.3
    var minimumLast = 0.1
    var newMargin = 0.0
    var duplicate = 1.0
    var buffer = 0.0
    var bufferGrowth = 0.0
    var bufferMax = 0.5
    var lastBuffer = 0.3
    var heightPower = 0.0
    var scoreWeight = 0.0
    var lowNoise = 1.0

    static let standard = TrackerTuning()
}
