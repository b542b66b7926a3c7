import Foundation
import Sightline
import SightlineEvaluation
import SightlineTestSupport
import SightlineTraining
import TensorFlowLite
import Testing

/// Detectors in one file, as AutoML Vision Edge wrote them: the built-in detector with a new last layer.
@Suite(.hangLimit)
struct SingleFileTests {
    @Test func theSingleFileFindsThingsInPicturesThatItNeverSaw() async throws {
        try await withTemporaryFolder { folder in
            let trained = try await BoxedPhotos.trained(try BoxedPhotos.write(in: folder))
            let file = folder.appending(path: "alone.tflite")
            try trained.single.write(to: file)
            let detector = try ObjectDetector(options: ObjectDetectorOptions(model: LocalModel(url: file)))
            for number in 100..<103 {
                let scene = try BoxedPhotos.scene(number)
                let found = try await detector.objects(in: VisionImage(data: scene.png))
                for (label, frame) in [("brick", scene.brick), ("pond", scene.pond)] {
                    let named = found.filter { $0.labels.first?.text == label }
                    #expect(named.contains { $0.frame.iou(frame) > 0.5 }, "\(label) in \(number): \(found)")
                }
            }
        }
    }

    @Test func theSingleFileHasTheOutputsOfAutoMLsDetectors() async throws {
        try await withTemporaryFolder { folder in
            let trained = try await BoxedPhotos.trained(try BoxedPhotos.write(6, in: folder))
            let model = try Model(data: trained.single)
            #expect(model.outputs.map(\.shape.dimensions) == [[1, 40, 4], [1, 40], [1, 40], [1]])
            #expect(model.outputs.allSatisfy { $0.producer?.operatorName == "TFLite_Detection_PostProcess" })
            #expect(model.metadata?.outputs.map(\.name) == ["location", "category", "score", "number of detections"])
            let file = folder.appending(path: "alone.tflite")
            try trained.single.write(to: file)
            let inspection = try ModelInspection(of: LocalModel(url: file))
            #expect(inspection.task == .detection && inspection.problem == nil)
            let detector = ObjectDetectorOptions(model: LocalModel(url: file))
            #expect(try ObjectDetector(options: detector).labelNames.chosen == ["brick", "pond"])
        }
    }

    @Test func aPictureWithoutContrastHasBoxesInsideItAndNoConfidentOne() async throws {
        try await withTemporaryFolder { folder in
            let trained = try await BoxedPhotos.trained(try BoxedPhotos.write(6, in: folder))
            let interpreter = try Interpreter(model: Model(data: trained.single))
            try interpreter.allocateTensors()
            let size = try interpreter.input(at: 0).shape.elementCount ?? 0
            try interpreter.copy(Data(repeating: 128, count: size), toInputAt: 0)
            try interpreter.invoke()
            let (boxes, scores) = (try interpreter.output(at: 0), try interpreter.output(at: 2))
            let corners = boxes.data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
            #expect(corners.allSatisfy { (-0.001...1.001).contains($0) })
            let confidences = scores.data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
            #expect(confidences.allSatisfy { (0...1).contains($0) })
        }
    }

    @Test func bothFormsAreMeasuredOnTheSamePicturesAndTheBetterOneIsTheModel() async throws {
        try await withTemporaryFolder { folder in
            let trained = try await BoxedPhotos.trained(try BoxedPhotos.write(6, in: folder))
            let card = trained.card
            #expect(Set(card.forms.map(\.form)) == [.pair, .single])
            let best = try #require(card.forms.max { $0.ap50 < $1.ap50 })
            let chosen = try #require(card.forms.first { $0.form == card.form })
            #expect(chosen.ap50 == best.ap50 && chosen.ap50 == card.ap50 && chosen.sha256 == card.sha256)
            #expect(trained.html.contains("model.tflite is the "))
            let yard = folder.appending(path: "yard")
            try trained.write(to: yard)
            for form in card.forms {
                let data = try Data(contentsOf: yard.appending(path: form.file))
                #expect(data == (form.form == .pair ? trained.pair : trained.single) && data.count == form.byteCount)
                let labels = try String(contentsOf: yard.appending(path: form.labelsFile), encoding: .utf8)
                #expect(labels.hasPrefix("background\n") == (form.form == .pair))
                let model = try Model(data: data)
                #expect(try Data(labels.utf8) == model.associatedFile(named: "labels.txt"))
            }
            #expect(chosen.file == "model.tflite")
            let labels = try String(contentsOf: yard.appending(path: "dict.txt"), encoding: .utf8)
            #expect(labels == trained.labels.map { $0 + "\n" }.joined())
            let numbers = try Data(contentsOf: yard.appending(path: "tflite_metadata.json"))
            let fields = try #require(try JSONSerialization.jsonObject(with: numbers) as? [String: Any])
            #expect(fields["imageWidth"] as? Int == 352 && fields["maxDetections"] as? Int == 40)
        }
    }
}
