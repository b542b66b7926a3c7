import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@testable import Sightline

/// The bytes of a picture for a model's input.
@Suite(.hangLimit)
struct TensorTests {
    private static func image(_ name: String = "large-444.jpg") throws -> VisionImage {
        try VisionImage(contentsOf: TestData.fixture("images/\(name)"))
    }

    @Test(
        arguments: ["ssd_metadata", "yolov8", "yolov8_int8", "yolox_raw"],
        ["large-444.jpg", "exif-6.jpg", "png-rgba.png"]
    )
    func aTensorHasTheBytesThatADetectorFeeds(model name: String, picture: String) throws {
        let model = try DetectionModel(LocalModel(url: TestData.fixture("models/\(name).tflite")))
        let image = try Self.image(picture)
        let placement = Placement(PixelRect(image.size), into: model.input.format.size, fit: model.fit)
        let runner = try model.makeRunner(threads: 1)
        try runner.full.write(placement, of: image.decoded(for: [placement]))
        let fed = try runner.full.interpreter.withMutableInput(at: model.input.index) { Data($0) }
        #expect(try image.tensor(model.input.format, placement: placement) == fed)
    }

    @Test func anInterpreterThatIsFedTheTensorFindsWhatTheLabelerFinds() async throws {
        let model = LocalModel(url: TestData.fixture("models/classifier_uint8.tflite"))
        var options = ImageLabelerOptions(model: model)
        options.confidenceThreshold = 0
        let labels = try await ImageLabeler(options: options).labels(in: Self.image())
        let interpreter = try Interpreter(modelPath: model.url.path)
        try interpreter.allocateTensors()
        let shape = try interpreter.input(at: 0).shape.dimensions
        let format = InputFormat(size: PixelSize(width: shape[2], height: shape[1]))
        let image = try Self.image()
        let square = Placement(PixelRect(image.size), into: format.size, fit: .crop)
        try interpreter.copy(image.tensor(format, placement: square), toInputAt: 0)
        try interpreter.invoke()
        let scores = [UInt8](try interpreter.output(at: 0).data)
        let best = scores.indices.max { scores[$0] < scores[$1] }
        #expect(labels.first?.index == best)
    }

    @Test func withoutAPlacementTheWholePictureIsSqueezed() throws {
        let image = try Self.image()
        let format = InputFormat(size: PixelSize(width: 7, height: 5), channels: .bgr, dataType: .float32)
        let whole = Placement(PixelRect(image.size), into: format.size, fit: .stretch)
        let tensor = try image.tensor(format)
        #expect(tensor.count == 7 * 5 * 3 * 4)
        #expect(try tensor == image.tensor(format, placement: whole))
    }

    @Test func aPartOfThePictureMayBePlaced() throws {
        // Four gray pixels in a row; the two in the middle go into the right half of the tensor.
        let plane = PixelBuffer.Plane(data: Data([10, 20, 30, 40]), bytesPerRow: 4)
        let image = VisionImage(pixels: try PixelBuffer(format: .gray, width: 4, height: 1, planes: [plane]))
        let format = InputFormat(size: PixelSize(width: 2, height: 1), channels: .gray)
        let middle = Placement(PixelRect(x: 1, y: 0, width: 2, height: 1), into: format.size, fit: .stretch)
        #expect(try image.tensor(format, placement: middle) == Data([20, 30]))
    }

    @Test(arguments: [
        (InputFormat(size: PixelSize(width: 2, height: 2), dataType: .int64), nil),
        (InputFormat(size: PixelSize(width: 2, height: 2)), PixelSize(width: 3, height: 2)),
    ])
    func aFormatThatCannotBeWrittenIsAnError(_ format: InputFormat, _ other: PixelSize?) throws {
        let image = try Self.image()
        let placement = Placement(PixelRect(image.size), into: other ?? format.size, fit: .stretch)
        let error = #expect(throws: ImageError.self) { try image.tensor(format, placement: placement) }
        guard case .unsupportedInput = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        PixelSize(width: 0, height: 2), PixelSize(width: -1, height: 2), PixelSize(width: .max, height: .max),
    ])
    func aSizeThatNoTensorHasIsAnError(_ size: PixelSize) throws {
        let image = try Self.image()
        #expect(throws: ImageError.self) { try image.tensor(InputFormat(size: size)) }
    }
}
