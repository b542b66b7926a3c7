import Foundation

/// Smooths the boxes of tracked objects, which then lag a little behind.
///
/// Exponential smoothing in seconds, the same at every frame rate: the weight of an old box falls as e^(−t / time constant).
/// Nothing else in the library smooths boxes; tracking is not affected.
public struct BoxSmoother: Sendable {
    /// The time after which a box has followed 63 % of a sudden move; zero for no smoothing.
    public let timeConstant: Duration
    /// The time for which the smoother remembers an object that is out of sight.
    public let memory: Duration
    private var boxes: [Int: (box: PixelRect, time: Duration)] = [:]

    /// Creates a smoother that knows no objects yet.
    public init(timeConstant: Duration = .milliseconds(150), memory: Duration = .seconds(10)) {
        self.timeConstant = timeConstant
        self.memory = memory
    }

    /// Returns the objects of the next frame with smoothed boxes; all else, and objects without an identity, stay the same.
    ///
    /// The first box of an object stays where it is, as does a box that comes many time constants after the last one.
    ///
    /// - Parameters:
    ///   - objects: the objects of the next frame, of any tracker.
    ///   - time: when the frame is shown.
    public mutating func smooth(_ objects: [DetectedObject], at time: Duration) -> [DetectedObject] {
        guard timeConstant > .zero else { return objects }
        var smoothed = objects
        for index in smoothed.indices {
            guard let id = smoothed[index].id else { continue }
            var box = smoothed[index].frame
            if let last = boxes[id] {
                let passed = max(time.inSeconds - last.time.inSeconds, 0)
                let share = 1 - exp(-passed / timeConstant.inSeconds)
                box = PixelRect(
                    x: last.box.x + share * (box.x - last.box.x),
                    y: last.box.y + share * (box.y - last.box.y),
                    width: last.box.width + share * (box.width - last.box.width),
                    height: last.box.height + share * (box.height - last.box.height)
                )
            }
            boxes[id] = (box, time)
            smoothed[index].frame = box
        }
        boxes = boxes.filter { $0.value.time.isWithin(memory, of: time) }
        return smoothed
    }
}
