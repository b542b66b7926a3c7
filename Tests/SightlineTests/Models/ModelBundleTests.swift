import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// Models in zip archives.
@Suite(.hangLimit) struct ModelBundleTests {
    private static let zip = TestData.fixture("models/teachable_machine.zip")
    private static let task = TestData.fixture("models/bundle.task")

    private func inspect(_ bytes: Data) throws -> ModelInspection {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "download.zip")
            try bytes.write(to: url)
            return try ModelInspection(of: LocalModel(url: url))
        }
    }

    private func reason(_ bytes: Data) -> String {
        let error = #expect(throws: LocalModelError.self) { try inspect(bytes) }
        guard case .bundle(_, let reason) = error else { return "\(String(describing: error))" }
        return reason
    }

    @Test func theDownloadOfTeachableMachineLabelsPictures() async throws {
        let labeler = try ImageLabeler(options: ImageLabelerOptions(model: LocalModel(url: Self.zip)))
        let green = try VisionImage.plain(PixelSize(width: 9, height: 9), red: 0, green: 255, blue: 0)
        let labels = try await labeler.labels(in: green)
        #expect(labels.first?.text == "green")
        #expect(labels.first?.index == 1)
    }

    @Test func aTaskFileGivesItsDetectorAndNamesTheRest() throws {
        let inspection = try ModelInspection(of: LocalModel(url: Self.task))
        #expect(inspection.task == .detection)
        #expect(inspection.labels?.first == ["red", "green", "blue"])
        #expect(inspection.unused == ["the model hand_landmarks.tflite in the same archive"])
    }

    @Test func aFolderWithASingleModelIsThatModel() throws {
        try withTemporaryFolder { folder in
            let model = TestData.fixture("models/classifier_float.tflite")
            try FileManager.default.copyItem(at: model, to: folder.appending(path: "model_unquant.tflite"))
            #expect(try ModelInspection(of: LocalModel(url: folder)).task == .labeling)
            try FileManager.default.copyItem(at: model, to: folder.appending(path: "other.tflite"))
            let error = #expect(throws: LocalModelError.self) { try ModelInspection(of: LocalModel(url: folder)) }
            #expect("\(String(describing: error))".contains("model_unquant.tflite, other.tflite"))
        }
    }

    @Test(arguments: [
        ("saved_model.pb", "a SavedModel of TensorFlow"),
        ("model.mlmodel", "a Core ML model"), ("weights.h5", "a Keras model"), ("best.pt", "a PyTorch model"),
    ])
    func aFolderWithAModelOfAnotherKindIsNamed(file: String, kind: String) throws {
        try withTemporaryFolder { folder in
            try Data([1]).write(to: folder.appending(path: file))
            let error = #expect(throws: LocalModelError.self) { try ModelInspection(of: LocalModel(url: folder)) }
            #expect("\(String(describing: error))".contains(kind), "\(String(describing: error))")
        }
    }

    @Test func anArchiveThatWasCutShortIsAnErrorThatSaysSo() throws {
        let whole = try Data(contentsOf: Self.zip)
        #expect(reason(whole.dropLast(30)).contains("its end is missing"))
        #expect(reason(whole.prefix(100)).contains("its end is missing"))
    }

    @Test func anArchiveWithoutAModelSaysWhatItHolds() throws {
        let renamed = try Data(contentsOf: Self.zip).replacing("model_unquant.tflite", with: "model_unquant.tflitx")
        #expect(reason(renamed).contains("it has no .tflite or .onnx file, only model_unquant.tflitx, labels.txt"))
    }

    @Test func aSizeThatTheBytesCannotUnpackToIsNotBelieved() throws {
        var bytes = try Data(contentsOf: Self.zip)
        let record = try #require(bytes.range(of: Data([0x50, 0x4B, 1, 2])))
        // The method becomes deflation, and the size of the contents 256 MiB.
        bytes[record.lowerBound + 10] = 8
        bytes.replaceSubrange(record.lowerBound + 24..<record.lowerBound + 28, with: [0, 0, 0, 0x10])
        #expect(reason(bytes).contains("it claims 268435456 bytes, more than"))
    }

    @Test func whateverIsDamagedNothingTraps() throws {
        var random = RepeatableRandom(seed: 15)
        for original in [try Data(contentsOf: Self.zip), try Data(contentsOf: Self.task)] {
            let directory = original.range(of: Data([0x50, 0x4B, 1, 2]))?.lowerBound ?? 0
            for round in 0..<300 {
                var damaged = original
                // Every other time the directory, which is a small part of the file.
                let first = round.isMultiple(of: 2) ? directory : 0
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    damaged[Int.random(in: first..<damaged.count, using: &random)] = UInt8.random(
                        in: 0...255,
                        using: &random
                    )
                }
                do { _ = try inspect(damaged) } catch { #expect(error is LocalModelError, "\(error)") }
            }
        }
    }
}

extension Data {
    fileprivate func replacing(_ text: String, with other: String) -> Data {
        var data = self
        while let range = data.range(of: Data(text.utf8)) { data.replaceSubrange(range, with: Data(other.utf8)) }
        return data
    }
}
