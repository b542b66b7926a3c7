/// The constants of the tracker, found on sequences of pedestrians, dancers and street traffic from six detectors.
///
/// Lengths are fractions of the object's size, times are seconds. None of them is sensitive: a fifth more or less of any
/// changes HOTA over variants of those sequences, 59.3, by 0.5 at most.
enum TrackerConstants {
    // MARK: Motion

    /// The standard deviation of a measured center.
    static let noise = 0.05
    /// The random walk of a center beside its velocity, in √s.
    static let drift = 0.25
    /// The change of a velocity, per s in √s.
    static let acceleration = 1.0
    /// The standard deviation of the speed of an object seen for the first time, per s.
    static let initialSpeed = 1.5
    /// The standard deviation of a measured width or height.
    static let sizeNoise = 0.07
    /// The random walk of a size, in √s.
    static let sizeDrift = 0.27
    /// The factor by which a detection below the high threshold is less exact.
    static let lowNoise = 1.7
    /// The longest time over which motion is extrapolated at once, in s.
    static let longestStep = 2.0

    // MARK: Association

    /// The least similarity of a trusted detection and an object, and of any detection and an object apart from all others.
    static let leastSimilarity = 0.2
    /// The least similarity of a detection below the high threshold and an object that is lost or that others touch.
    static let leastLowSimilarity = 0.5
    /// The least similarity of a trusted detection and a tentative object, whose motion is not known yet.
    static let leastTentativeSimilarity = 0.1
    /// The margin by which boxes are grown before they are compared.
    static let margin = 0.03
    /// The growth of that margin while an object is not seen, per s.
    static let marginGrowth = 0.1
    /// The largest margin that not being seen adds up to.
    static let largestMargin = 0.5
    /// The decay of similarity while an object is not seen, per s.
    static let unseenPenalty = 0.03
    /// Which part of the similarity depends on the confidence of the detection.
    static let confidenceShare = 0.2
    /// For how long a lost object may be found again by a detection below the high threshold, in s.
    static let lowRecall = 0.4
    /// The distance of the mean confidence of such an object above the high threshold.
    static let lowRecallStrength = 0.1
    /// The most detections that are weighed for one object.
    static let mostCandidates = 32

    /// The number of detections of confidence 0 that stand for the doubt about a new object.
    static let initialDoubt = 0.5
    /// The certainty of an object whose detections have no confidence.
    static let leastCertainty = 0.01

    // MARK: Appearance

    /// The change of the similarity of place and size with the distance of colors, which is 0…1.
    static let appearanceWeight = 3.0
    /// The distance up to which looks speak for the same object, as a part of the mean distance between objects in view.
    static let sameLooks = 0.7
    /// The most that looks add to a similarity.
    static let largestAppearanceGain = 0.3
    /// The gain that looks leave to a pair that is similar enough without them.
    static let leastGain = 0.05
    /// Over how many of the last detections the looks of an object are averaged, about.
    static let appearanceCount = 10
    /// The mean distance between two people, taken for that between objects before there are two.
    static let usualContrast = 0.35
    /// The number of measured distances that this counts for.
    static let usualContrastCount = 20.0
    /// Over how many of the last measured distances their mean runs, about.
    static let mostContrastCount = 300.0

    // MARK: Occlusion

    /// The growth of the noise of a measured box when others in front cover all of the object.
    static let coveredNoise = 3.0
    /// The covered share from which that noise grows; boxes of neighbors overlap a little without hiding anything.
    static let leastCover = 0.2
    /// For how long an object that is out of sight still covers others, in s. A detector often misses the object in front for
    /// a few frames as well.
    static let coverMemory = 0.25

    // MARK: Doubtful objects

    /// From which overlap on a detection on an object in view is taken for a second box of that object, and begins none.
    static let birthOverlap = 0.45
    /// From which overlap on the weaker of two objects is taken for a second box of the stronger.
    static let duplicateOverlap = 0.4
    /// Up to how far above the high threshold the mean confidence of such a weaker object lies.
    static let duplicateStrength = 0.1
    /// Over how many of the last detections the mean confidence runs, about.
    static let strengthCount = 30.0

    // MARK: Shared motion

    /// The fewest objects from which a motion of the whole picture is inferred.
    static let fewestForCamera = 3
    /// The margin by which boxes are grown in the trial association.
    static let cameraMargin = 0.3
    /// Which part of the shared shift is taken for the camera's at most.
    static let cameraGain = 0.6
    /// The share of the objects' disagreement that makes the shared shift doubtful.
    static let cameraDoubt = 0.5
    /// The least error of the shared shift, in parts of the objects' median height.
    static let cameraNoise = 0.005
}
