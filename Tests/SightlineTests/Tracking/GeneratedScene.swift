import Sightline
import SightlineTestSupport

/// A scene of moving boxes as a detector would see it: misses, false boxes, objects that leave and return.
struct GeneratedScene {
    /// The frames, with the object of each detection; nil for a false box.
    var frames: [(time: Duration, detections: [DetectedObject], objects: [Int?])] = []

    /// A scene of so many objects and frames. Time steps vary between half and twice the mean.
    init(seed: UInt64, objects count: Int, frames frameCount: Int, frameRate: Double = 25, classes: Int = 2) {
        var random = RepeatableRandom(seed: seed)
        func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
        let side = 300 * Double(max(count, 1)).squareRoot()
        var movers = (0..<count).map { _ in
            let width = number(20...80)
            return Mover(
                box: PixelRect(
                    x: number(0...side),
                    y: number(0...side),
                    width: width,
                    height: width * number(1...2.5)
                ),
                velocityX: number(-60...60),
                velocityY: number(-60...60),
                classIndex: Int.random(in: 0..<classes, using: &random),
                away: number(0...1) < 0.1 ? 10...20 : nil
            )
        }
        var seconds = 0.0
        for frame in 0..<frameCount {
            let step = number(0.5...2) / frameRate
            seconds += step
            var found: [(DetectedObject, Int?)] = []
            for index in movers.indices {
                movers[index].box.x += movers[index].velocityX * step
                movers[index].box.y += movers[index].velocityY * step
                if movers[index].away?.contains(frame) == true || number(0...1) < 0.1 { continue }
                var box = movers[index].box
                box.x += number(-0.03...0.03) * box.width
                box.y += number(-0.03...0.03) * box.height
                let confidence = Float(number(0...1) < 0.8 ? number(0.65...1) : number(0.15...0.6))
                found.append(
                    (DetectedObject(frame: box, confidence: confidence, classIndex: movers[index].classIndex), index)
                )
            }
            for _ in 0..<count / 10 {
                let box = PixelRect(x: number(0...side), y: number(0...side), width: number(20...80), height: 60)
                found.append((DetectedObject(frame: box, confidence: Float(number(0.1...0.8)), classIndex: 0), nil))
            }
            found.shuffle(using: &random)
            frames.append((.seconds(seconds), found.map(\.0), found.map(\.1)))
        }
    }

    private struct Mover {
        var box: PixelRect
        var velocityX: Double
        var velocityY: Double
        var classIndex: Int
        var away: ClosedRange<Int>?
    }
}
