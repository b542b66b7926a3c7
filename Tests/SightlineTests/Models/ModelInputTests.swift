import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@testable import Sightline

/// The input that reaches a model, seen through models that give back their input.
@Suite(.hangLimit) struct ModelInputTests {
    private func echo(_ name: String, _ pixel: (UInt8, UInt8, UInt8)) throws -> [Float] {
        let files = try ModelFiles(LocalModel(url: TestData.fixture("models/\(name).tflite")))
        let input = try ImageInput(files, floatRange: .plusMinusOne)
        var runner = try ModelRunner(files: files, input: input, threads: 1)
        let image = try VisionImage.plain(
            PixelSize(width: 40, height: 30),
            red: pixel.0,
            green: pixel.1,
            blue: pixel.2
        )
        let placement = Placement(PixelRect(image.size), into: input.format.size, fit: .stretch)
        try runner.write(placement, of: try image.decoded(for: [placement]))
        try runner.run()
        return try runner.outputs.with(OutputTensor(0, of: files), of: runner.interpreter) { Array($0) }
    }

    @Test func aFloatModelGetsMinusOneToOne() throws {
        let values = try echo("echo_float", (0, 255, 128))
        #expect(values.prefix(3).elementsEqual([-1, 1, 0.5 / 127.5]) { abs($0 - $1) < 1e-5 })
        #expect(values.count == 8 * 8 * 3)
    }

    @Test(arguments: ["echo_uint8", "echo_int8"])
    func aQuantisedModelGetsThePixelValues(name: String) throws {
        // Real values are (stored − 128) / 128.
        let values = try echo(name, (0, 255, 130))
        #expect(values.prefix(3).elementsEqual([-1, 127 / 128, 2 / 128]) { abs($0 - $1) < 1e-5 })
    }

    @Test func aPlanarModelGetsOneColorAfterTheOther() throws {
        let values = try echo("echo_nchw", (0, 255, 0))
        #expect(values.prefix(64).allSatisfy { $0 == -1 } && values.dropFirst(64).prefix(64).allSatisfy { $0 == 1 })
    }

    @Test func aGrayModelGetsBrightness() throws {
        let values = try echo("echo_gray", (255, 255, 255))
        #expect(values.count == 64 && values.allSatisfy { abs($0 - 1) < 1e-5 })
    }

    @Test func aModelOfOpenSizeTakesTheSidecars() throws {
        try withTemporaryFolder { folder in
            let model = folder.appending(path: "m.tflite")
            try FileManager.default.copyItem(at: TestData.fixture("models/dynamic.tflite"), to: model)
            let open = try ImageInput(ModelFiles(LocalModel(url: model)), floatRange: .plusMinusOne)
            #expect(open.format.size == PixelSize(width: 320, height: 320) && open.assumptions.count == 2)
            try Data("{\"input\": {\"width\": 64, \"height\": 48}}".utf8)
                .write(to: folder.appending(path: "m.sightline.json"))
            let said = try ImageInput(ModelFiles(LocalModel(url: model)), floatRange: .plusMinusOne)
            #expect(said.resizedShape == [1, 48, 64, 3])
            _ = try ModelRunner(
                files: ModelFiles(LocalModel(url: model)),
                input: said,
                threads: 1
            )
        }
    }
}
