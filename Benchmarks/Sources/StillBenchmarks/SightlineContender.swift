import Foundation
import Sightline

/// Sightline in this process: from the file to results, on one thread.
final class SightlineContender: Contender {
    let name: String
    private(set) var finding = ""
    /// The number of objects that the last measurement found.
    private(set) var objectCount = 0
    private let picture: URL
    private let work: (VisionImage) throws -> Outcome

    private enum Outcome {
        case labels([Label])
        case objects([DetectedObject])
    }

    /// - Parameter optimizesModels: Whether models are rewritten when they are loaded.
    init(_ benchmark: Benchmark, models: URL, pictures: URL, optimizesModels: Bool) throws {
        name = optimizesModels ? "Sightline, optimized" : "Sightline"
        picture = pictures.appending(path: benchmark.picture)
        func model(_ path: String) -> LocalModel { LocalModel(url: models.model(path)) }
        switch benchmark.task {
        case .label(let path, let fit):
            var options = ImageLabelerOptions(model: model(path))
            options.fit = fit
            options.optimizesModel = optimizesModels
            let labeler = try ImageLabeler(options: options)
            work = { .labels(try labeler.labels(in: $0)) }
        case .detect(let path):
            var options = ObjectDetectorOptions(model: model(path))
            options.optimizesModel = optimizesModels
            let detector = try ObjectDetector(options: options)
            work = { .objects(try detector.objects(in: $0)) }
        case .detectAndClassify(let path, let classifier, let minimumScore):
            var options = ObjectDetectorOptions(model: model(path), classifier: model(classifier))
            options.scoreThreshold = minimumScore
            options.maximumObjects = Benchmark.classifiedObjects
            options.optimizesModel = optimizesModels
            let detector = try ObjectDetector(options: options)
            work = { .objects(try detector.objects(in: $0)) }
        }
    }

    func measure(_ clock: Clock) throws -> Double {
        var outcome = Outcome.labels([])
        let elapsed = try clock.milliseconds {
            outcome = try work(VisionImage(contentsOf: picture))
        }
        switch outcome {
        case .labels(let labels):
            finding = labels.first.map { "\($0.index) \($0.text) \(rounded($0.confidence))" } ?? "nothing"
        case .objects(let objects):
            objectCount = objects.count
            let best = objects.first?.labels.first.map { "\($0.index) \($0.text) \(rounded($0.confidence))" }
            finding = "\(objects.count) objects, \(best ?? "no label")"
        }
        return elapsed
    }
}

/// A score with two digits.
func rounded(_ score: Float) -> String {
    String(format: "%.2f", score)
}
