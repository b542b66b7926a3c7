import Foundation
import Sightline
import SightlineTestSupport
import TensorFlowLite
import Testing

@testable import SightlineTraining

/// A fitted layer, and the model that has it.
@Suite(.hangLimit)
struct WrittenLayerTests {
    /// The figures of a training are those of its model: the runtime computes the probabilities that the fit computes.
    @Test(arguments: [LabeledPhotos.uint8Start, LabeledPhotos.floatStart, LabeledPhotos.mixedStart], [false, true])
    func theModelGivesTheProbabilitiesOfTheFit(start: LocalModel, severalLabels: Bool) async throws {
        let extractor = try FeatureExtractor(start, workers: 1)
        var (images, labels): ([VisionImage], [[Int]]) = ([], [])
        for (label, color) in LabeledPhotos.colors.enumerated() {
            for number in 0..<6 {
                images.append(try VisionImage(data: LabeledPhotos.png(color.color, number: number)))
                labels.append([label])
            }
        }
        var stored: [Data] = []
        for image in images { stored += try await extractor.storedFeatures(of: image) }
        let fitting = LayerFitting(
            FeatureMatrix(stored, of: extractor.trunk),
            of: extractor.trunk,
            labels: labels,
            labelCount: 3,
            severalLabels: severalLabels
        )
        let rows = Array(images.indices)
        let layer = try fitting.layer(rows, freedom: 25)
        let fitted = fitting.probabilities(layer, of: rows)
        var metadata = ClassifierMetadata(name: "colors", description: "", labels: LabeledPhotos.colors.map(\.label))
        metadata.normalization = extractor.normalization
        let model = try extractor.trunk.classifier(layer, metadata)
        // A step of an output of 8 bits, and another one for sums that the runtime rounds the other way.
        let allowed: Float = model.outputs.first?.dataType == .float32 ? 1e-3 : 2.1 / 256
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "model.tflite")
            try model.data.write(to: file)
            var options = ImageLabelerOptions(model: LocalModel(url: file))
            options.confidenceThreshold = 0
            let labeler = try ImageLabeler(options: options)
            for (image, expected) in zip(images, fitted) {
                for found in try await labeler.labels(in: image) {
                    #expect(abs(found.confidence - expected[found.index]) <= allowed, "\(found.text)")
                }
            }
        }
    }
}
