import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Tracked objects on frames.
@Suite(.hangLimit)
struct FrameRenderingTests {
    private static let size = PixelSize(width: 320, height: 240)
    /// The color of identity 1.
    private let blue = Pixel(86, 180, 233)

    private func frame(
        _ format: PixelBuffer.Format = .rgb,
        size: PixelSize = size,
        orientation: ImageOrientation = .up,
        at time: Duration = .zero
    ) throws -> VideoFrame {
        let (width, height) = (size.width, size.height)
        let half = ((width + 1) / 2, (height + 1) / 2)
        func plane(_ bytesPerRow: Int, _ rows: Int, _ bytes: [UInt8]) -> PixelBuffer.Plane {
            let row = (0..<bytesPerRow).map { bytes[$0 % bytes.count] }
            return PixelBuffer.Plane(data: Data((0..<rows).flatMap { _ in row }), bytesPerRow: bytesPerRow)
        }
        // A gray that no annotation has: luma 100 of the video range is 98.
        let planes: [PixelBuffer.Plane] =
            switch format {
            case .rgb: [plane(3 * width, height, [97, 98, 99])]
            case .rgba: [plane(4 * width, height, [97, 98, 99, 255])]
            case .bgra: [plane(4 * width, height, [99, 98, 97, 255])]
            case .gray: [plane(width, height, [98])]
            case .nv12: [plane(width, height, [100]), plane(2 * half.0, half.1, [128, 128])]
            case .i420: [plane(width, height, [100]), plane(half.0, half.1, [128]), plane(half.0, half.1, [128])]
            }
        let pixels = try PixelBuffer(format: format, width: width, height: height, planes: planes)
        return VideoFrame(image: VisionImage(pixels: pixels, orientation: orientation), timestamp: time, index: 7)
    }

    private func result(
        _ objects: [(id: Int, frame: PixelRect)],
        size: PixelSize = size,
        at time: Duration = .zero
    ) -> StreamResult {
        StreamResult(
            timestamp: time,
            index: 7,
            size: size,
            objects: objects.map {
                DetectedObject(
                    frame: $0.frame,
                    confidence: 0.9,
                    labels: [Label(text: "cat", index: 3, confidence: 0.8)],
                    track: Track(state: .confirmed(id: $0.id), firstSeen: .zero, lastSeen: time, isDetected: true)
                )
            }
        )
    }

    private func withTraces(of duration: Duration = .seconds(2)) -> [any Annotator] {
        [ZoneAnnotator(), TraceAnnotator(duration: duration), BoxAnnotator(), LabelAnnotator()]
    }

    private let box = PixelRect(x: 100, y: 80, width: 120, height: 90)

    private func isClose(_ first: Pixel, _ second: Pixel, within tolerance: Int = 4) -> Bool {
        [(first.red, second.red), (first.green, second.green), (first.blue, second.blue)]
            .allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
    }

    @Test(arguments: PixelBuffer.Format.allCases) func drawsOnFramesOfEachFormat(format: PixelBuffer.Format) throws {
        var renderer = PictureRenderer()
        let drawn = try renderer.render(AnnotatedScene(result([(1, box)])), on: frame(format))
        let plain = try frame(format).image.upright()
        let picture = try drawn.image.upright()
        #expect(drawn.index == 7)
        // A pixel inside the line, which is three wide: at its edges colors of half resolution mix.
        let gray = Pixel(169, 169, 169)
        for (x, y) in [(150, 81), (150, 168), (101, 120), (218, 120)] {
            let expected = format == .gray ? gray : blue
            let found = try picture.pixel(x, y)
            #expect(isClose(found, expected, within: 30), "\(found) at \(x), \(y)")
        }
        // Inside and outside nothing changes, not by a single level.
        for y in 0..<240 {
            for x in 0..<320 where (106..<214).contains(x) && (86..<164).contains(y) || x < 98 || y > 172 || y < 56 {
                #expect(try picture.pixel(x, y) == plain.pixel(x, y), "at \(x), \(y)")
            }
        }
    }

    @Test func fillsTagsWithTheExactColor() throws {
        // Large areas of luma and color differences come back as the color that was meant.
        for format in [PixelBuffer.Format.i420, .nv12] {
            var renderer = PictureRenderer()
            let drawn = try renderer.render(AnnotatedScene(result([(1, box)])), on: frame(format))
            #expect(isClose(try drawn.image.upright().pixel(104, 63), blue, within: 2))
        }
    }

    @Test(arguments: ImageOrientation.allCases) func drawsInTheUprightFrame(orientation: ImageOrientation) throws {
        let stored = orientation.swapsAxes ? Self.size.transposed : Self.size
        var renderer = PictureRenderer(withTraces())
        var plain = PictureRenderer(withTraces())
        let drawn = try renderer.render(
            AnnotatedScene(result([(1, box)])),
            on: frame(size: stored, orientation: orientation)
        )
        let reference = try plain.render(AnnotatedScene(result([(1, box)])), on: frame())
        #expect(drawn.image.orientation == orientation)
        let (picture, expected) = (try drawn.image.upright(), try reference.image.upright())
        #expect(picture.size == expected.size)
        // Boxes are the same to the pixel; the edges of letters are smoothed elsewhere.
        for (x, y) in [(100, 80), (219, 80), (100, 169), (219, 169), (104, 63), (99, 80), (220, 100)] {
            #expect(try picture.pixel(x, y) == expected.pixel(x, y), "at \(x), \(y)")
        }
    }

    @Test func leavesTheFrameItselfAlone() throws {
        let frame = try frame(.i420)
        let before = try frame.image.upright()
        var renderer = PictureRenderer(withTraces())
        _ = try renderer.render(AnnotatedScene(result([(1, box)])), on: frame)
        #expect(try frame.image.upright().planes[0].data == before.planes[0].data)
    }

    @Test func keepsAnIdentitysColor() throws {
        var renderer = PictureRenderer(withTraces())
        for step in 0..<5 {
            // Other objects come and go.
            let others = (0..<step).map { (id: 20 + $0, frame: PixelRect(x: 10, y: 190, width: 20, height: 20)) }
            let time = Duration.milliseconds(100) * step
            let drawn = try renderer.render(AnnotatedScene(result(others + [(1, box)], at: time)), on: frame(at: time))
            #expect(try drawn.image.upright().pixel(100, 120) == blue)
        }
    }

    @Test func drawsWhereAnObjectCameFromAndForgetsItInTime() throws {
        var renderer = PictureRenderer(withTraces(of: .seconds(1)))
        func draw(_ x: Double, at time: Duration, id: Int = 1) throws -> PixelBuffer {
            let frame = try frame(at: time)
            let found = PixelRect(x: x, y: 100, width: 40, height: 40)
            return try renderer.render(AnnotatedScene(result([(id, found)], at: time)), on: frame).image.upright()
        }
        #expect(try draw(20, at: .zero).pixel(40, 120) == background)
        let second = try draw(120, at: .milliseconds(500))
        // From the middle of the first box to that of the second.
        #expect(try second.pixel(90, 120) == blue)
        #expect(try second.pixel(40, 120) == blue)
        let third = try draw(220, at: .milliseconds(1200))
        #expect(try third.pixel(90, 120) == background)
        #expect(try third.pixel(190, 120) == blue)
        // Another identity has no part in it.
        #expect(try draw(20, at: .milliseconds(1300), id: 2).pixel(90, 120) == background)
        // Time that goes back starts over.
        #expect(try draw(120, at: .zero).pixel(190, 120) == background)
    }

    @Test func drawsLinesAndAreasWithTheirCounts() throws {
        var renderer = PictureRenderer(withTraces())
        let outlines = [
            AnnotatedScene.Outline(
                points: [PixelPoint(x: 10, y: 200), PixelPoint(x: 310, y: 200)],
                isClosed: false,
                caption: "in 3"
            ),
            AnnotatedScene.Outline(
                points: [(20, 20), (120, 20), (120, 60)].map { PixelPoint(x: $0, y: $1) },
                isClosed: true
            ),
        ]
        let picture = try renderer.render(AnnotatedScene(result([]), outlines: outlines), on: frame()).image.upright()
        let white = Pixel(255, 255, 255)
        #expect(try picture.pixel(30, 200) == white)
        #expect(try picture.pixel(300, 200) == white)
        #expect(try picture.pixel(70, 20) == white)
        #expect(try picture.pixel(120, 40) == white)
        // The side that closes the area.
        #expect(try picture.pixel(70, 40) == white)
        // The tag in the middle of the line, with black letters.
        let letters = try (140..<180).flatMap { x in try (192..<208).map { try picture.pixel(x, $0) } }
        #expect(letters.contains(Pixel(0, 0, 0)))
    }

    @Test(
        arguments: [
            [(.nan, 0), (10, 10)], [(-1e300, -1e300), (1e300, 1e300)], [], [(5, 5)], [(.infinity, 0), (5, 5)],
        ] as [[(Double, Double)]]
    ) func takesAnyPoints(points: [(Double, Double)]) throws {
        var renderer = PictureRenderer(withTraces())
        let outline = AnnotatedScene.Outline(
            points: points.map { PixelPoint(x: $0, y: $1) },
            isClosed: true,
            caption: "x"
        )
        let boxes = [
            PixelRect(x: .nan, y: 0, width: 1, height: 1), PixelRect(x: -1e300, y: 0, width: 1e301, height: 1e300), box,
        ]
        let found = boxes.enumerated().map { (id: $0.offset + 1, frame: $0.element) }
        for step in 0..<3 {
            let time = Duration.milliseconds(40) * step
            let drawn = try renderer.render(
                AnnotatedScene(result(found, at: time), outlines: [outline]),
                on: frame(at: time)
            )
            #expect(drawn.image.size == Self.size)
        }
    }

    @Test(arguments: [(1, 1), (2, 1), (1, 3), (5, 5), (33, 31)]) func drawsOnTheSmallestFrames(width: Int, height: Int)
        throws
    {
        for format in PixelBuffer.Format.allCases {
            let size = PixelSize(width: width, height: height)
            var renderer = PictureRenderer(withTraces())
            let found = PixelRect(size)
            let drawn = try renderer.render(
                AnnotatedScene(result([(1, found)], size: size)),
                on: frame(format, size: size)
            )
            let expected = format == .gray ? Pixel(169, 169, 169) : blue
            #expect(isClose(try drawn.image.upright().pixel(0, height - 1), expected, within: 12), "\(format)")
        }
    }

    @Test func decodesACodedFrame() throws {
        var renderer = PictureRenderer(withTraces())
        let jpeg = try plainPicture(width: 320, height: 240).encoded(as: .jpeg)
        let frame = VideoFrame(image: try VisionImage(data: jpeg), timestamp: .zero, index: 0)
        let drawn = try renderer.render(AnnotatedScene(result([(1, box)])), on: frame)
        #expect(try drawn.image.upright().pixel(100, 120) == blue)
    }
}
