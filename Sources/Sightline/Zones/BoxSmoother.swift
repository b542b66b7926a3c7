import Foundation

/// Calms boxes that tremble, at the price of lagging behind a little.
///
/// Each side of a box follows what was seen as e^(−t / time constant) forgets what was before: exponential smoothing in
/// seconds, the same at every frame rate. Nothing in the library smooths by itself; tracking is not affected.
public struct BoxSmoother: Sendable {
    /// After which time a sudden move has been followed by 63 %; zero for no smoothing.
    public let timeConstant: Duration
    /// How long an object that is not seen is remembered.
    public let memory: Duration
    private var boxes: [Int: (box: PixelRect, time: Duration)] = [:]

    /// A smoother that knows no objects yet.
    public init(timeConstant: Duration = .milliseconds(150), memory: Duration = .seconds(10)) {
        self.timeConstant = timeConstant
        self.memory = memory
    }

    /// The result with its objects' boxes smoothed; all else is as it was.
    ///
    /// An object that is seen for the first time, or after the time constant has passed many times, is where it was seen.
    public mutating func smooth(_ result: StreamResult) -> StreamResult {
        guard timeConstant > .zero else { return result }
        var smoothed = result
        for index in smoothed.objects.indices {
            let object = smoothed.objects[index]
            var box = object.frame
            if let last = boxes[object.id] {
                let passed = max(result.timestamp.inSeconds - last.time.inSeconds, 0)
                let share = 1 - exp(-passed / timeConstant.inSeconds)
                box = PixelRect(
                    x: last.box.x + share * (box.x - last.box.x),
                    y: last.box.y + share * (box.y - last.box.y),
                    width: last.box.width + share * (box.width - last.box.width),
                    height: last.box.height + share * (box.height - last.box.height)
                )
            }
            boxes[object.id] = (box, result.timestamp)
            smoothed.objects[index].frame = box
        }
        boxes = boxes.filter { $0.value.time.isWithin(memory, of: result.timestamp) }
        return smoothed
    }
}
