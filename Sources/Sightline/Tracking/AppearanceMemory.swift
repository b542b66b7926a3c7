/// The appearance of a stream's objects, and its weight.
///
/// It is empty, and costs nothing, as long as the tracker gets no appearances.
struct AppearanceMemory: Sendable {
    private struct Known: Sendable {
        var mean: Appearance
        var count: Int
    }

    /// The appearance of each object in the last frames, by its serial number.
    private var known: [Int: Known] = [:]
    /// The appearance of each detection of this frame; nil where it is not known.
    private var current: [Appearance?] = []
    /// The mean distance between two objects in view.
    private var contrast = TrackerConstants.usualContrast
    private var contrastCount = TrackerConstants.usualContrastCount

    /// Begins a frame.
    ///
    /// - Parameter appearances: the appearance of its detections, in their order; may be shorter.
    mutating func begin(_ appearances: [Appearance?]) { current = appearances }

    /// By how much the looks of an object and a detection raise or lower their similarity; nil if they are not known.
    ///
    /// Appearance is weighed by the differences between the objects of this stream. If objects look alike, it
    /// is ignored.
    func cue(of serial: Int, and detection: Int) -> Double? {
        guard current.indices.contains(detection), let seen = current[detection], let known = known[serial] else {
            return nil
        }
        let surplus = TrackerConstants.sameLooks * contrast - known.mean.distance(to: seen)
        return min(TrackerConstants.appearanceWeight * surplus, TrackerConstants.largestAppearanceGain)
    }

    /// Learns from a detection how an object looks.
    mutating func learn(_ serial: Int, from detection: Int) {
        guard current.indices.contains(detection), let seen = current[detection] else { return }
        guard var object = known.removeValue(forKey: serial) else {
            known[serial] = Known(mean: seen, count: 1)
            return
        }
        object.count = min(object.count + 1, TrackerConstants.appearanceCount)
        object.mean.move(toward: seen, by: 1 / Float(object.count))
        known[serial] = object
    }

    /// Learns how different objects in view look; each is compared with the next, so that the cost is that of their number.
    mutating func learnContrast(_ objects: [FollowedObject]) {
        guard !known.isEmpty else { return }
        var previous: (classIndex: Int?, looks: Appearance)?
        for object in objects where object.isConfirmed {
            guard let looks = known[object.serial]?.mean else { continue }
            if let previous, previous.classIndex == object.classIndex {
                contrastCount = min(contrastCount + 1, TrackerConstants.mostContrastCount)
                contrast += (previous.looks.distance(to: looks) - contrast) / contrastCount
            }
            previous = (object.classIndex, looks)
        }
    }

    /// Forgets all objects but these.
    mutating func keep(_ objects: [FollowedObject]) {
        guard known.count > objects.count else { return }
        let serials = Set(objects.map(\.serial))
        known = known.filter { serials.contains($0.key) }
    }
}
