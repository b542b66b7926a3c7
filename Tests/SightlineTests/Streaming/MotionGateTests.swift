import Foundation
import SightlineTestSupport
import Testing

@testable import Sightline

/// The gate on generated small copies of 120 × 68 pixels, 25 a second.
@Suite(.hangLimit) struct MotionGateTests {
    private static let size = PixelSize(width: 120, height: 68)
    private static let frameRate = 25.0
    /// The distance that an object may move between two looks of the detector, in pixels of the copy.
    private static let largestStep = 2.5

    /// A still camera's scene. It has the same noise each time.
    private struct Camera {
        var gate = MotionGate()
        /// The standard deviation of a pixel's noise.
        var noise: Float = 1
        private var random = RepeatableRandom(seed: 5)
        private(set) var frame = 0
        /// The frames on which the detector ran.
        private(set) var opened: [Int] = []

        init(noise: Float = 1) { self.noise = noise }

        /// Shows the next frame.
        mutating func show(
            light: Float = 0,
            moving: [PixelRect] = [],
            _ draw: (_ x: Int, _ y: Int, _ value: Float) -> Float = { $2 }
        ) throws -> Bool {
            var values: [Float] = []
            for y in 0..<size.height {
                for x in 0..<size.width {
                    // The sum of four numbers is nearly normal, with a deviation of 2/√3.
                    var sum: Float = 0
                    for _ in 0..<4 { sum += Float(random.next() >> 40) / Float(1 << 23) - 1 }
                    let background = Float(60 + (x * 7 + y * 13) % 40)
                    values.append(draw(x, y, background) + light + sum * noise * 0.866)
                }
            }
            let picture = try #require(GrayPicture(size: size, values: values))
            let isOpen = gate.opens(for: picture, at: Double(frame) / frameRate, moving: moving)
            if isOpen { opened.append(frame) }
            frame += 1
            return isOpen
        }

        mutating func show(seconds: Double, light: Float = 0) throws {
            for _ in 0..<Int(seconds * frameRate) { _ = try show(light: light) }
        }

        /// Shows a box of 5 × 6 pixels that moves to the right, and returns how far it moved at most between two looks.
        mutating func largestStep(
            from start: Double,
            speed: Double,
            frames: Int,
            contrast: Float = 20,
            isKnown: Bool = false
        ) throws -> Double {
            var (largest, seen) = (0.0, start)
            for frame in 0..<frames {
                let left = start + speed * Double(frame)
                let box = PixelRect(x: left, y: 30, width: 5, height: 6)
                let isOpen = try show(moving: isKnown ? [box] : []) { x, y, value in
                    let pixel = PixelRect(x: Double(x), y: Double(y), width: 1, height: 1)
                    return value + contrast * Float(pixel.intersection(box)?.area ?? 0)
                }
                if isOpen { seen = left }
                largest = max(largest, left - seen)
            }
            return largest
        }

        /// The number of looks from a time to another, in seconds.
        func looks(from start: Double, to end: Double) -> Int {
            opened.count { (Int(start * frameRate)..<Int(end * frameRate)).contains($0) }
        }
    }

    @Test(arguments: [Float(0), 1, 3]) func aStillSceneIsLookedAtFromTimeToTimeHoweverNoisy(noise: Float) throws {
        var camera = Camera(noise: noise)
        try camera.show(seconds: 20)
        #expect(camera.opened.prefix(5) == [0, 1, 2, 3, 4])
        #expect(camera.looks(from: 1, to: 20) <= 10, "\(camera.opened)")
        let pauses = zip(camera.opened, camera.opened.dropFirst()).map { $1 - $0 }
        // Two seconds.
        #expect([50, 51].contains(pauses.max()))
    }

    @Test(arguments: [0.1, 0.2, 0.5, 2]) func aSmallObjectThatEntersIsNeverMissed(speed: Double) throws {
        var camera = Camera()
        try camera.show(seconds: 4)
        let step = try camera.largestStep(from: -5, speed: speed, frames: Int(60 / speed))
        #expect(step <= Self.largestStep)
    }

    @Test func anObjectThatStopsLetsTheDetectorRestUntilItGoesOn() throws {
        var camera = Camera()
        try camera.show(seconds: 4)
        _ = try camera.largestStep(from: 10, speed: 1, frames: 50)
        #expect(camera.looks(from: 5, to: 6) >= 22)
        _ = try camera.largestStep(from: 60, speed: 0, frames: 200)
        #expect(camera.looks(from: 7, to: 14) <= 4, "\(camera.opened)")
        #expect(try camera.largestStep(from: 60, speed: 0.2, frames: 100) <= Self.largestStep)
    }

    @Test(arguments: [Float(30), -25, 8]) func otherLightIsLookedAtOnce(light: Float) throws {
        var camera = Camera()
        try camera.show(seconds: 5)
        try camera.show(seconds: 10, light: light)
        #expect((10...25).contains(camera.looks(from: 5, to: 6)))
        #expect(camera.looks(from: 6, to: 15) <= 5, "\(camera.opened)")
    }

    /// Stripes that swing like branches, in an eighth of the picture.
    @Test func aSwayingTextureBecomesQuietAndTheRestOfThePictureStaysWatched() throws {
        var camera = Camera()
        for _ in 0..<1000 {
            let time = Double(camera.frame) / Self.frameRate
            let sway = 3 * sin(time * 2 * .pi / 2.1) + sin(time * 2 * .pi / 0.7)
            _ = try camera.show { x, y, value in
                x >= 80 && y >= 40 ? value + 25 * Float(sin((Double(x) + sway) * 0.7)) : value
            }
        }
        #expect(camera.looks(from: 25, to: 40) <= 12, "\(camera.opened)")
        try camera.show(seconds: 1)
        #expect(try camera.largestStep(from: -5, speed: 0.2, frames: 200) <= Self.largestStep)
    }

    @Test func thinRainBecomesQuiet() throws {
        var camera = Camera()
        var random = RepeatableRandom(seed: 8)
        for _ in 0..<750 {
            let streaks = (0..<12).map { _ in
                (x: Int.random(in: 0..<120, using: &random), y: Int.random(in: 0..<68, using: &random))
            }
            _ = try camera.show { x, y, value in
                streaks.contains { $0.x == x && ($0.y..<$0.y + 12).contains(y) } ? value + 10 : value
            }
        }
        #expect(camera.looks(from: 20, to: 30) <= 10, "\(camera.opened)")
    }

    /// Where known objects pass all the time, nothing is learned, so that the next object counts as the first.
    @Test func aBusyRoadStaysWatched() throws {
        var camera = Camera()
        for _ in 0..<12 {
            #expect(try camera.largestStep(from: -5, speed: 1, frames: 120, isKnown: true) <= Self.largestStep)
        }
        #expect(try camera.largestStep(from: -5, speed: 0.2, frames: 100) <= Self.largestStep)
    }

    @Test func aCameraThatMovesKeepsTheDetectorRunning() throws {
        var camera = Camera()
        for frame in 0..<200 {
            _ = try camera.show { x, y, _ in
                let place = Double(x + frame)
                return Float(120 + 50 * sin(place / 17) + 30 * sin(Double(y) / 9 + place / 5))
            }
        }
        let pauses = zip(camera.opened, camera.opened.dropFirst()).map { $1 - $0 }
        #expect(camera.opened.count >= 150 && pauses.max() ?? 0 <= 5, "\(camera.opened)")
    }

    @Test func aTrackerThatNeedsAnAnswerKeepsTheGateOpenForAShortTimeOnly() throws {
        let picture = try #require(GrayPicture(size: Self.size, values: [Float](repeating: 9, count: 120 * 68)))
        var gate = MotionGate()
        let opened = (0..<200).filter { frame in
            gate.opens(for: picture, at: Double(frame) / Self.frameRate, isUnsettled: true)
        }
        // Two seconds at first, and a tenth of a second every two seconds.
        #expect(opened.prefix(50) == Array(0..<50)[...])
        #expect((3...8).contains(opened.count - 50), "\(opened)")
    }

    @Test func aFrameWithoutACopyAndTimesThatGoBackAreLookedAt() throws {
        let picture = try #require(GrayPicture(size: Self.size, values: [Float](repeating: 9, count: 120 * 68)))
        var gate = MotionGate()
        _ = gate.opens(for: picture, at: 100)
        let opens = [
            gate.opens(for: picture, at: 101), gate.opens(for: nil, at: 101.04), gate.opens(for: picture, at: 7),
            gate.opens(for: picture, at: 8), gate.opens(for: picture, at: -.infinity),
            gate.opens(for: picture, at: 1e12),
        ]
        #expect(opens == [false, true, true, false, true, true])
    }

    @Test func atRestObjectsInViewStayAndObjectsOutOfSightAreRemembered() {
        func detection(_ x: Double) -> DetectedObject {
            DetectedObject(frame: PixelRect(x: x, y: 20, width: 40, height: 80), confidence: 0.9)
        }
        var tracker = ObjectTracker()
        for index in 0..<10 {
            let found = [detection(5 * Double(index))] + (index < 9 ? [detection(500)] : [])
            _ = tracker.update(found, at: .milliseconds(40 * index))
        }
        for second in 1...60 {
            let resting = tracker.rest(until: .seconds(second))
            #expect(resting.map(\.id) == [1] && resting.first?.frame == detection(45).frame)
        }
        let found = tracker.update([detection(48), detection(500)], at: .milliseconds(60_040))
        #expect(found.map(\.id) == [1, 2])
    }
}
