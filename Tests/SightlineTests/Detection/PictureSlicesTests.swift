import Foundation
import SightlineTestSupport
import Testing

@testable import Sightline

/// Slices of pictures, and what is found in them.
@Suite(.hangLimit) struct PictureSlicesTests {
    @Test(arguments: [(1000.0, 700.0, 320), (641, 640, 640), (90, 2000, 64), (333.5, 200.25, 100)])
    func slicesCoverARegionOverlapAndStayInside(width: Double, height: Double, pixels: Int) throws {
        let region = PixelRect(x: 10, y: 20, width: width, height: height)
        let slices = try PictureSlices(pixels: pixels).slices(of: region)
        let side = Double(pixels)
        for slice in slices {
            #expect(slice.width == min(side, width) && slice.height == min(side, height))
            #expect(slice.x >= region.x && slice.y >= region.y)
            #expect(slice.maxX <= region.maxX + 1e-6 && slice.maxY <= region.maxY + 1e-6)
        }
        for (starts, end) in [(slices.map(\.x), region.maxX), (slices.map(\.y), region.maxY)] {
            let starts = Set(starts).sorted()
            for (start, next) in zip(starts, starts.dropFirst()) { #expect(start + side - next >= 0.2 * side - 1e-6) }
            #expect(starts.count == 1 || abs((starts.last ?? 0) + side - end) < 1e-6)
        }
    }

    @Test(arguments: [100, 640, 100_000])
    func aRegionThatFitsIntoOneSliceHasNone(pixels: Int) throws {
        #expect(try PictureSlices(pixels: pixels).slices(of: PixelRect(x: 0, y: 0, width: 100, height: 80)) == [])
    }

    @Test func tooManySlicesAreRefusedAndTheAdviceIsEnough() throws {
        let region = PixelRect(x: 0, y: 0, width: 20_000, height: 10_000)
        let error = #expect(throws: SliceError.self) { try PictureSlices(pixels: 1).slices(of: region) }
        guard case .tooMany(_, let pixels, let sufficient) = try #require(error) else { return }
        #expect(pixels == PictureSlices.minimumPixels)
        #expect(try PictureSlices(pixels: sufficient).slices(of: region).count <= PictureSlices.maximumCount)
        #expect(
            error?.description
                == "20000 × 10000 pixels would be cut into more than 1000 slices of 32 pixels: choose slices of at least "
                + "\(sufficient) pixels."
        )
    }

    @Test func aPyramidHasLargerSlicesToo() throws {
        let region = PixelRect(x: 0, y: 0, width: 4000, height: 3000)
        let slices = try PictureSlices(pixels: 240, isPyramid: true).slices(of: region)
        let counts = Dictionary(grouping: slices, by: \.width).mapValues(\.count)
        #expect(counts.keys.sorted() == [240, 960, 3840] && counts[960] == 20 && counts[3840] == 2)
        #expect(slices.first?.width == 240)
    }

    @Test(arguments: [(20_000.0, 10_000.0), (60_000, 300)])
    func aPyramidOfALargePictureHasLargerSlicesInsteadOfAnError(width: Double, height: Double) throws {
        let region = PixelRect(x: 0, y: 0, width: width, height: height)
        let slices = try PictureSlices(pixels: 240, isPyramid: true).slices(of: region)
        #expect((100...PictureSlices.maximumCount).contains(slices.count))
        #expect(slices.allSatisfy { $0.width >= 240 && $0.maxX <= width + 1e-6 && $0.maxY <= height + 1e-6 })
    }

    /// A model that finds the same boxes in every view, so that each slice gives boxes of its own.
    private func options(slices: Int?) -> ObjectDetectorOptions {
        var options = ObjectDetectorOptions(model: LocalModel(url: TestData.fixture("models/ssd.tflite")))
        options.scoreThreshold = 0.1
        options.slices = slices.map(PictureSlices.init(pixels:))
        return options
    }

    @Test func eachSliceIsSearchedAndFramesArePixelsOfThePicture() async throws {
        let picture = try VisionImage.gray(PixelSize(width: 180, height: 100))
        let objects = try await ObjectDetector(options: options(slices: 100)).objects(in: picture)
        // A lies at 0.2 of the width in the picture and in the slices at 0 and 80, where it is 0.4 wide.
        for (x, width) in [(36.0, 72.0), (20, 40), (100, 40)] {
            #expect(objects.contains { abs($0.frame.x - x) < 1 && abs($0.frame.width - width) < 1 })
        }
        #expect(objects.allSatisfy { $0.frame.maxX <= 180 && $0.frame.maxY <= 100 })
    }

    @Test func aPictureNoLargerThanASliceHasTheResultsOfThePictureAlone() async throws {
        let picture = try VisionImage.gray(PixelSize(width: 100, height: 100))
        let sliced = try await ObjectDetector(options: options(slices: 100)).objects(in: picture)
        #expect(try await ObjectDetector(options: options(slices: nil)).objects(in: picture) == sliced)
    }

    @Test func resultsDoNotDependOnTheNumberOfWorkers() async throws {
        let picture = try VisionImage(contentsOf: TestData.fixture("images/shirts.png"))
        var options = ObjectDetectorOptions(classifier: nil)
        options.slices = PictureSlices(pixels: 256)
        let alone = try await ObjectDetector(options: options).objects(in: picture)
        options.workers = 3
        let results = try await ObjectDetector(options: options).objects(in: Array(repeating: picture, count: 6))
        #expect(results.allSatisfy { $0 == alone } && alone.count >= 11)
    }

    @Test func anObjectTooSmallForThePictureIsFoundInASlice() async throws {
        let small = try VisionImage(contentsOf: TestData.fixture("images/mug-and-tulips.png"))
        let size = PixelSize(width: 4000, height: 3000)
        var bytes = Data(repeating: 215, count: size.width * size.height * 3)
        let plane = try small.upright().planes[0]
        for row in 0..<small.size.height {
            let source = plane.data.dropFirst(row * plane.bytesPerRow).prefix(small.size.width * 3)
            let start = ((900 + row) * size.width + 1100) * 3
            bytes.replaceSubrange(start..<start + source.count, with: source)
        }
        let canvas = PixelBuffer.Plane(data: bytes, bytesPerRow: size.width * 3)
        let buffer = try PixelBuffer(format: .rgb, width: size.width, height: size.height, planes: [canvas])
        let picture = VisionImage(pixels: buffer)
        let mug = PixelRect(x: 1146, y: 1149, width: 92, height: 124)
        var options = ObjectDetectorOptions(classifier: nil)
        func finds() async throws -> Bool {
            try await ObjectDetector(options: options).objects(in: picture).contains { $0.frame.iou(mug) > 0.6 }
        }
        #expect(try await !finds())
        options.slices = PictureSlices(pixels: 480)
        #expect(try await finds())
    }
}
