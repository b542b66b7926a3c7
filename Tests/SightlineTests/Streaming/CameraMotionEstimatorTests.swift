import Foundation
import SightlineTestSupport
import Testing

@testable import Sightline

@Suite(.hangLimit) struct CameraMotionEstimatorTests {
    private let scene = Scene()

    private func motion(from first: VisionImage, to second: VisionImage) throws -> CameraMotion {
        var estimator = CameraMotionEstimator()
        #expect(estimator.motion(to: try gray(first), of: first.size) == .none)
        return estimator.motion(to: try gray(second), of: second.size)
    }

    private func gray(_ image: VisionImage) throws -> GrayPicture {
        try GrayPicture(image.decoded(for: [GrayPicture.placement(of: image.size)]))
    }

    @Test(arguments: [(4.0, 0.0), (0.0, -3.0), (1.3, 0.6), (-22, 9), (45, -20), (0.4, 0.2)])
    func aShiftIsFoundToAQuarterOfAPixel(way: (x: Double, y: Double)) throws {
        // The camera goes the other way than the picture.
        let motion = try motion(
            from: scene.frame(x: 70, y: 60),
            to: scene.frame(x: 70 - way.x, y: 60 - way.y)
        )
        let (x, y) = motion.applied(toX: 160, y: 120)
        #expect(abs(x - 160 - way.x) < 0.25 && abs(y - 120 - way.y) < 0.25, "\(motion)")
    }

    @Test(arguments: [1.03, 0.97, 1.08]) func aZoomIsFound(zoom: Double) throws {
        let motion = try motion(from: scene.frame(x: 40, y: 40), to: scene.frame(x: 40, y: 40, zoom: zoom))
        #expect(abs(motion.scale - zoom) < 0.004, "\(motion)")
        let (x, y) = motion.applied(toX: 0, y: 0)
        #expect(abs(x) < 0.8 && abs(y) < 0.8, "\(motion)")
    }

    @Test func changingLightIsNoMotion() throws {
        let motion = try motion(from: scene.frame(x: 40, y: 40), to: scene.frame(x: 43, y: 40, light: 25))
        let (x, y) = motion.applied(toX: 160, y: 120)
        #expect(abs(x - 157) < 0.3 && abs(y - 120) < 0.3, "\(motion)")
    }

    @Test func anObjectThatMovesOnItsOwnDoesNotCount() throws {
        let other = try Scene(seed: 2).frame(x: 0, y: 0).upright()
        /// The landscape, with something else in front of a quarter of it.
        func frame(_ object: Int) throws -> VisionImage {
            let background = try scene.frame(x: 40, y: 40).upright()
            var bytes = try #require(background.planes.first?.data)
            let foreground = try #require(other.planes.first?.data)
            for y in 60..<180 {
                for byte in 0..<160 * 3 { bytes[y * 960 + object * 3 + byte] = foreground[y * 960 + byte] }
            }
            let plane = PixelBuffer.Plane(data: bytes, bytesPerRow: 960)
            return VisionImage(pixels: try PixelBuffer(format: .rgb, width: 320, height: 240, planes: [plane]))
        }
        let motion = try motion(from: frame(60), to: frame(68))
        let (x, y) = motion.applied(toX: 160, y: 120)
        #expect(abs(x - 160) < 0.5 && abs(y - 120) < 0.5, "\(motion)")
    }

    @Test func nothingIsSaidOfPicturesThatHaveNothingInCommon() throws {
        #expect(try motion(from: scene.frame(x: 0, y: 0), to: Scene(seed: 2).frame(x: 0, y: 0)) == .none)
    }

    @Test(arguments: [(1, 1), (3, 2), (16, 9), (320, 1), (1, 500)])
    func nothingIsSaidOfPicturesWithoutStructureOrSize(width: Int, height: Int) throws {
        let image = try VisionImage.gray(PixelSize(width: width, height: height))
        #expect(try motion(from: image, to: image) == .none)
    }

    @Test func aStandingCameraDoesNotMove() throws {
        let frame = try scene.frame(x: 40, y: 40)
        #expect(try motion(from: frame, to: frame) == .none)
    }

    @Test func upsideDownFramesMoveAsTheyAreSeen() throws {
        func turned(_ image: VisionImage) throws -> VisionImage {
            VisionImage(pixels: try image.upright(), orientation: .down)
        }
        let motion = try motion(from: turned(scene.frame(x: 60, y: 60)), to: turned(scene.frame(x: 52, y: 60)))
        let (x, _) = motion.applied(toX: 160, y: 120)
        // Stored pixels go right, seen ones left.
        #expect(abs(x - 152) < 0.3)
    }
}

/// Real photos that a camera pans over, with the boxes of what is in them.
@Suite(.hangLimit, .enabled(if: TestData.isAvailable, TestData.reason))
struct RealCameraMotionTests {
    @Test(arguments: ["PAN-01", "PAN-02", "PAN-03"])
    func boxesMoveWithThePicture(sequence: String) throws {
        let folder = TestData.real("tracking/frames/\(sequence)")
        var boxes: [Int: [Int: PixelRect]] = [:]
        for line in try String(contentsOf: folder.appending(path: "gt/gt.txt"), encoding: .utf8).split(separator: "\n")
        {
            let fields = line.split(separator: ",").compactMap { Double($0) }
            // Boxes that are cut off by the edge change their shape.
            guard fields[2] > 5, fields[3] > 5, fields[2] + fields[4] < 635, fields[3] + fields[5] < 475 else {
                continue
            }
            boxes[Int(fields[0]), default: [:]][Int(fields[1])] = PixelRect(
                x: fields[2],
                y: fields[3],
                width: fields[4],
                height: fields[5]
            )
        }
        var estimator = CameraMotionEstimator()
        var errors: [Double] = []
        for number in 1...90 {
            let name = "img1/" + String(repeating: "0", count: 6 - "\(number)".count) + "\(number).jpg"
            let image = try VisionImage(contentsOf: folder.appending(path: name))
            let picture = try GrayPicture(image.decoded(for: [GrayPicture.placement(of: image.size)]))
            let motion = estimator.motion(to: picture, of: image.size)
            for (id, box) in boxes[number - 1] ?? [:] {
                guard let next = boxes[number]?[id] else { continue }
                let (x, y) = motion.applied(toX: box.midX, y: box.midY)
                errors.append(hypot(x - next.midX, y - next.midY))
            }
        }
        errors.sort()
        #expect(errors.count > 50)
        // Boxes have a tenth of a pixel; frames are 640 pixels wide.
        #expect(errors[errors.count / 2] < 0.7, "median \(errors[errors.count / 2])")
        #expect(
            errors[errors.count * 95 / 100] < 2.5,
            "95 % \(errors[errors.count * 95 / 100]), worst \(errors.last ?? 0)"
        )
    }
}

/// A standing camera in front of any background, and an object that moves.
@Suite(.hangLimit)
struct StandingCameraTests {
    enum Background: CaseIterable { case black, gray, gradient, noise, landscape }

    private static let frameSize = PixelSize(width: 320, height: 240)
    private static let small = PixelSize(width: 96, height: 72)

    /// The small copy of a frame with a bright box.
    private func picture(_ background: [Float], _ box: PixelRect) throws -> GrayPicture {
        let scale = Double(Self.small.width) / Double(Self.frameSize.width)
        var values = background
        for row in 0..<Self.small.height {
            for column in 0..<Self.small.width {
                let (x, y) = (Double(column) / scale, Double(row) / scale)
                let pixel = PixelRect(x: x, y: y, width: 1 / scale, height: 1 / scale)
                // The share of the pixel that the box covers.
                let share = Float((pixel.intersection(box)?.area ?? 0) / pixel.area)
                values[row * Self.small.width + column] += share * (230 - values[row * Self.small.width + column])
            }
        }
        return try #require(GrayPicture(size: Self.small, values: values))
    }

    private func values(_ background: Background) throws -> [Float] {
        var random = RepeatableRandom(seed: 3)
        let landscape = try GrayPicture(
            Scene().frame(x: 40, y: 40).decoded(for: [GrayPicture.placement(of: Self.frameSize)])
        )
        return (0..<Self.small.width * Self.small.height).map { index in
            switch background {
            case .black: 0
            case .gray: 120
            case .gradient: Float(index % Self.small.width) * 1.5
            case .noise: Float.random(in: 60...160, using: &random)
            case .landscape: landscape.values[index]
            }
        }
    }

    @Test(arguments: Background.allCases, 0..<6)
    func anObjectThatMovesHasOneIdentity(background: Background, path: Int) throws {
        let values = try values(background)
        let speed = [2.0, 4, 6, 8][path % 4]
        let angle = Double(path) * 0.5
        let side = path < 4 ? 24.0 : 60
        // The detector sees the object, does not see it in some frames, or the estimate does not know of objects.
        for knowsObjects in [true, false] {
            var estimator = CameraMotionEstimator()
            var tracker = ObjectTracker()
            var ids: Set<Int> = []
            for frame in 0..<12 {
                let way = speed * Double(frame - 6)
                let box = PixelRect(
                    x: 160 - side / 2 + way * cos(angle),
                    y: 120 - side / 2 + way * sin(angle),
                    width: side,
                    height: side
                )
                let motion = estimator.motion(
                    to: try picture(values, box),
                    of: Self.frameSize,
                    besides: knowsObjects ? tracker.frames : []
                )
                let seen = frame % 7 == 5 ? [] : [DetectedObject(frame: box, confidence: 0.9)]
                let objects = tracker.update(seen, at: .milliseconds(100 * frame), cameraMotion: motion)
                ids.formUnion(objects.compactMap(\.id))
                let (x, y) = motion.applied(toX: 160, y: 120)
                #expect(abs(x - 160) < 0.5 && abs(y - 120) < 0.5, "frame \(frame): \(motion)")
            }
            #expect(ids == [1])
        }
    }

    @Test func aCameraThatPansIsSeenBesideAnObjectThatItFollows() throws {
        let scene = Scene()
        var estimator = CameraMotionEstimator()
        for frame in 0..<6 {
            let background = try GrayPicture(
                scene.frame(x: 40 + 6 * Double(frame), y: 40).decoded(for: [GrayPicture.placement(of: Self.frameSize)])
            )
            // The object stays in the middle, and covers a quarter of the picture.
            let box = PixelRect(x: 80, y: 60, width: 160, height: 120)
            let motion = estimator.motion(to: try picture(background.values, box), of: Self.frameSize, besides: [box])
            if frame > 0 { #expect(abs(motion.translationX + 6) < 0.5 && abs(motion.translationY) < 0.5, "\(motion)") }
        }
    }
}
