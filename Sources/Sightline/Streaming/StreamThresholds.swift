/// The confidences that matter to a stream: those of the options, and those of the model where the options have none.
struct StreamThresholds: Sendable {
    /// The options of the tracker, with a high threshold for each class.
    let tracking: ObjectTrackerOptions
    /// The tracker trusts some boxes from this confidence on.
    let leastTrusted: Float
    /// Boxes below this confidence are of no use.
    let least: Float

    /// - Parameters:
    ///   - options: the options of the stream.
    ///   - stage: the model that finds the boxes, with its thresholds.
    init(_ options: StreamDetectorOptions, of stage: DetectionStage) {
        var tracking = options.tracking
        var thresholds = stage.scoreThresholds
        if let highThreshold = tracking.highThreshold { thresholds = thresholds.replacingUsual(with: highThreshold) }
        tracking.highThreshold = thresholds[nil]
        tracking.highThresholds.merge(thresholds.byClass) { chosen, _ in chosen }
        leastTrusted = tracking.highThresholds.values.reduce(thresholds.least, min)
        tracking.lowThreshold = min(tracking.lowThreshold, leastTrusted)
        least = min(tracking.lowThreshold, options.leftOverConfidence ?? .infinity)
        self.tracking = tracking
    }
}
