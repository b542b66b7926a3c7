/// The thresholds below which results are dropped: the caller's valid value comes first, then the model's own, then the usual
/// value for the kind of model.
enum Thresholds {
    /// The confidence from which a box is an object.
    static func score(_ explicit: Float?, of files: ModelFiles, head: any DetectorHead) -> Float {
        explicit?.validConfidence ?? files.recommendedThreshold ?? head.defaultScoreThreshold
    }

    /// The IoU above which two boxes of a class count as one object; nil where the model suppresses overlapping boxes itself.
    static func iou(_ explicit: Float?, of files: ModelFiles, head: any DetectorHead) -> Float? {
        explicit?.validConfidence ?? files.sidecar.iouThreshold?.validConfidence ?? head.defaultIoUThreshold
    }

    /// The confidence from which a classifier's score becomes a label.
    static func label(_ explicit: Float?, of files: ModelFiles) -> Float {
        explicit?.validConfidence ?? files.recommendedThreshold ?? 0
    }
}
