import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Masks that are drawn, hidden and cut out.
@Suite(.hangLimit) struct MaskDrawingTests {
    /// A disc in a box, perhaps with a hole.
    private func disc(radius: Int, hole: Int = 0, x: Int = 100, y: Int = 100) throws -> ObjectMask {
        try #require(
            ObjectMask(x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius) { column, row in
                let distance = (column - x) * (column - x) + (row - y) * (row - y)
                return distance < radius * radius && distance >= hole * hole
            }
        )
    }

    private func object(_ mask: ObjectMask, index: Int = 4) -> DetectedObject {
        DetectedObject(
            frame: mask.bounds,
            confidence: 1,
            labels: [Label(text: "it", index: index, confidence: 1)],
            mask: mask
        )
    }

    private func render(
        _ annotators: [any Annotator],
        _ scene: AnnotatedScene,
        on image: VisionImage
    ) throws -> PixelBuffer {
        var renderer = PictureRenderer(annotators)
        return try renderer.render(scene, on: VideoFrame(image: image, timestamp: .zero, index: 0)).image.upright()
    }

    /// A picture of one gray.
    private func gray(_ value: UInt8, width: Int = 200, height: Int = 200) throws -> VisionImage {
        let plane = PixelBuffer.Plane(data: Data(repeating: value, count: width * height * 3), bytesPerRow: width * 3)
        return VisionImage(pixels: try PixelBuffer(format: .rgb, width: width, height: height, planes: [plane]))
    }

    /// The relative luminance of WCAG 2.1.
    private func luminance(_ pixel: Pixel) -> Double {
        func linear(_ value: UInt8) -> Double {
            let part = Double(value) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(pixel.red) + 0.7152 * linear(pixel.green) + 0.0722 * linear(pixel.blue)
    }

    @Test(arguments: [UInt8(10), 60, 128, 200, 250], 0..<7)
    func theOutlineStandsOutFromAnyGround(ground: UInt8, index: Int) throws {
        let scene = AnnotatedScene(objects: [object(try disc(radius: 60), index: index)])
        let picture = try render([MaskAnnotator()], scene, on: gray(ground))
        // Across the left edge of the disc.
        let edge = try (30..<60).map { luminance(try picture.pixel($0, 100)) }
        let (low, high) = (try #require(edge.min()), try #require(edge.max()))
        // 3 is what WCAG asks of graphics.
        #expect((high + 0.05) / (low + 0.05) >= 3)
        let contrast = edge.map { one in
            let plain = luminance(Pixel(ground, ground, ground))
            return (max(one, plain) + 0.05) / (min(one, plain) + 0.05)
        }
        // The least is that of orange on dark gray.
        #expect(contrast.contains { $0 >= 2.8 })
    }

    @Test func theSurfaceIsTranslucentAndTheRestStays() throws {
        let picture = try render(
            [MaskAnnotator()],
            AnnotatedScene(objects: [object(try disc(radius: 60, hole: 20))]),
            on: gray(100)
        )
        let (inside, plain) = (try picture.pixel(60, 100), Pixel(100, 100, 100))
        #expect(inside != plain)
        // 60 % of the ground and 40 % of the color (0, 114, 178).
        #expect(abs(Int(inside.red) - 60) < 3 && abs(Int(inside.green) - 106) < 3 && abs(Int(inside.blue) - 131) < 3)
        #expect(try picture.pixel(100, 100) == plain)
        #expect(try picture.pixel(20, 100) == plain)
        #expect(try picture.pixel(45, 45) == plain)
    }

    @Test(arguments: PixelBuffer.Format.allCases) func masksOfTurnedFramesLieWhereTheObjectIs(
        format: PixelBuffer.Format
    ) throws {
        // The upright picture has 120 × 200 pixels.
        let (width, height) = (200, 120)
        let half = (width / 2, height / 2)
        func plane(_ bytes: Int, _ rows: Int) -> PixelBuffer.Plane {
            PixelBuffer.Plane(data: Data(repeating: 128, count: bytes * rows), bytesPerRow: bytes)
        }
        let planes: [PixelBuffer.Plane] =
            switch format {
            case .rgb: [plane(3 * width, height)]
            case .rgba, .bgra: [plane(4 * width, height)]
            case .gray: [plane(width, height)]
            case .nv12: [plane(width, height), plane(width, half.1)]
            case .i420: [plane(width, height), plane(half.0, half.1), plane(half.0, half.1)]
            }
        let pixels = try PixelBuffer(format: format, width: width, height: height, planes: planes)
        for orientation in [ImageOrientation.right, .left, .leftMirrored, .rightMirrored] {
            let image = VisionImage(pixels: pixels, orientation: orientation)
            let mask = try disc(radius: 30, x: 40, y: 150)
            let picture = try render([MaskAnnotator()], AnnotatedScene(objects: [object(mask)]), on: image)
            let plain = try image.upright()
            #expect(picture.size == PixelSize(width: 120, height: 200))
            #expect(try picture.pixel(40, 150) != plain.pixel(40, 150))
            #expect(try picture.pixel(40, 60) == plain.pixel(40, 60))
            #expect(try picture.pixel(90, 150) == plain.pixel(90, 150))
        }
    }

    @Test func anObjectWithoutAMaskHasNoSurface() throws {
        let frame = PixelRect(x: 20, y: 20, width: 100, height: 100)
        let scene = AnnotatedScene(objects: [DetectedObject(frame: frame, confidence: 1)])
        let picture = try render([MaskAnnotator()], scene, on: plainImage(width: 200, height: 200))
        #expect(try picture.drawnPixels(x: 0..<200, y: 0..<200) == 0)
    }

    // MARK: Hidden

    /// Black and white columns.
    private func stripes(_ format: PixelBuffer.Format) throws -> VisionImage {
        let values = (0..<200).map { UInt8($0 % 2 * 255) }
        func plane(_ row: [UInt8], _ rows: Int) -> PixelBuffer.Plane {
            PixelBuffer.Plane(data: Data((0..<rows).flatMap { _ in row }), bytesPerRow: row.count)
        }
        let neutral = [UInt8](repeating: 128, count: 100)
        let planes: [PixelBuffer.Plane] =
            switch format {
            case .rgb: [plane(values.flatMap { [$0, $0, $0] }, 200)]
            case .rgba, .bgra: [plane(values.flatMap { [$0, $0, $0, 255] }, 200)]
            case .gray: [plane(values, 200)]
            case .nv12: [plane(values, 200), plane(neutral + neutral, 100)]
            case .i420: [plane(values, 200), plane(neutral, 100), plane(neutral, 100)]
            }
        return VisionImage(pixels: try PixelBuffer(format: format, width: 200, height: 200, planes: planes))
    }

    @Test(arguments: PixelBuffer.Format.allCases, [false, true])
    func aMaskIsHiddenWithItsHolesAndAMargin(format: PixelBuffer.Format, asCover: Bool) throws {
        let image = try stripes(format)
        let mask = try disc(radius: 48, hole: 20)
        let scene = AnnotatedScene(
            objects: asCover ? [] : [object(mask)],
            coverMasks: asCover ? [mask] : []
        )
        let picture = try render([BlurAnnotator()], scene, on: image)
        let plain = try image.upright()
        // A sixteenth of 96 + 96 is 12.
        for y in 0..<200 {
            for x in 0..<200 {
                let distance = Double((x - 100) * (x - 100) + (y - 100) * (y - 100)).squareRoot()
                if distance < 48 + 10 {
                    #expect((60...195).contains(try picture.pixel(x, y).red), "\(x), \(y)")
                } else if distance > 48 + 16 {
                    #expect(try picture.pixel(x, y) == plain.pixel(x, y), "\(x), \(y)")
                }
            }
        }
    }

    @Test func theBoxIsHiddenWhereTheMaskIsDoubtful() throws {
        let small = try disc(radius: 10, x: 60, y: 60)
        var doubtful = object(small)
        doubtful.frame = PixelRect(x: 50, y: 50, width: 80, height: 80)
        let picture = try render([BlurAnnotator()], AnnotatedScene(objects: [doubtful]), on: stripes(.rgb))
        #expect((60...195).contains(try picture.pixel(125, 125).red))
    }

    @Test(arguments: [
        (-50, -50, 100, 100), (190, 190, 50, 50), (500, 500, 10, 10), (0, 0, 200, 200), (-1000, 50, 3000, 1),
    ])
    func masksMayLeaveThePicture(x: Int, y: Int, width: Int, height: Int) throws {
        let mask = try #require(ObjectMask(x: x, y: y, width: width, height: height, runs: [0, width * height]))
        for format in PixelBuffer.Format.allCases {
            let scene = AnnotatedScene(objects: [object(mask)])
            let picture = try render([MaskAnnotator(), BlurAnnotator()], scene, on: stripes(format))
            #expect(picture.size == PixelSize(width: 200, height: 200))
        }
        #expect(try ObjectCrop.cutOut(plainPicture(width: 200, height: 200), along: mask) == nil || x < 200)
    }

    // MARK: Cut out

    @Test func aCutOutIsTransparentOutsideTheMask() throws {
        var bytes = Data()
        for y in 0..<10 { for x in 0..<20 { bytes += [UInt8(x + 1), UInt8(y + 1), 9] } }
        let plane = PixelBuffer.Plane(data: bytes, bytesPerRow: 60)
        let picture = try PixelBuffer(format: .rgb, width: 20, height: 10, planes: [plane])
        let mask = try #require(ObjectMask(x: 2, y: 1, width: 12, height: 9) { x, y in x + y == 9 && x > 3 })
        let cut = try #require(try ObjectCrop.cutOut(picture, along: mask))
        // From (4, 5) to (8, 1).
        #expect(cut.size == PixelSize(width: 5, height: 5))
        #expect(cut.format == .rgba)
        let data = try #require(cut.planes.first).data
        for y in 0..<5 {
            for x in 0..<5 {
                let pixel = Array(data[data.startIndex + (y * 5 + x) * 4..<data.startIndex + (y * 5 + x) * 4 + 4])
                #expect(pixel == (x + y == 4 ? [UInt8(x + 5), UInt8(y + 2), 9, 255] : [0, 0, 0, 0]))
            }
        }
        #expect(try cut.encoded(as: .png).count > 50)
        #expect(throws: ImageError.self) { try cut.encoded(as: .jpeg) }
    }
}

/// Masks of a stream stay hidden in the frames around those in which they are found.
@Suite(.hangLimit) struct CoverMaskTests {
    private static let size = PixelSize(width: 400, height: 200)

    /// An object that goes right, four pixels a frame.
    private func result(_ frame: Int, isFound: Bool, hasMask: Bool = true) throws -> StreamResult {
        let x = 4 * frame
        let mask = try #require(ObjectMask(x: x, y: 50, width: 40, height: 60) { ($0 - x + $1) % 7 != 0 })
        let object = DetectedObject(
            frame: mask.bounds,
            confidence: 0.9,
            mask: hasMask ? mask : nil,
            track: Track(state: .confirmed(id: 1), firstSeen: .zero, lastSeen: .zero, isDetected: hasMask)
        )
        return StreamResult(
            timestamp: .milliseconds(40 * frame),
            index: frame,
            size: Self.size,
            objects: isFound ? [object] : []
        )
    }

    private func planner(_ frames: Range<Int>, until end: Int) throws -> CoverPlanner {
        var planner = CoverPlanner()
        for frame in 0..<end { planner.add(try result(frame, isFound: frames.contains(frame))) }
        return planner
    }

    @Test func aFoundObjectIsHiddenByItsMasksOfThatMoment() throws {
        let parts = try planner(10..<60, until: 40).hiddenParts(of: result(20, isFound: true))
        #expect(parts.covers.isEmpty)
        let mask = try #require(parts.masks.first)
        // Five frames before and after are within 0.2 seconds.
        #expect(mask.bounds == PixelRect(x: 60, y: 50, width: 80, height: 60))
        #expect(mask.area > 70 * 60)
    }

    @Test(arguments: [0, 5, 9, 60, 65, 71]) func beforeAndAfterTheBoxIsHidden(frame: Int) throws {
        let parts = try planner(10..<60, until: frame + 18).hiddenParts(of: result(frame, isFound: false))
        #expect(parts.masks.isEmpty)
        let box = PixelRect(x: Double(4 * frame), y: 50, width: 40, height: 60)
        #expect(parts.covers.contains { $0.intersection(box).map { $0.area > 0.99 * box.area } ?? false })
    }

    @Test func aCarriedBoxIsHiddenAsABox() throws {
        var planner = CoverPlanner()
        for frame in 0..<40 { planner.add(try result(frame, isFound: true, hasMask: frame % 2 == 0)) }
        let (seen, carried) = (
            planner.hiddenParts(of: try result(20, isFound: true)),
            planner.hiddenParts(of: try result(21, isFound: true, hasMask: false))
        )
        #expect(seen.masks.count == 1 && seen.covers.isEmpty)
        #expect(carried.masks.isEmpty && carried.covers.count == 1)
    }

    @Test func coversHaveABoxForEachObject() throws {
        let covers = try planner(10..<60, until: 40).covers(of: result(20, isFound: true))
        #expect(covers == [PixelRect(x: 60, y: 50, width: 80, height: 60)])
    }
}
