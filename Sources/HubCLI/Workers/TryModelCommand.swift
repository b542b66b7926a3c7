import ArgumentParser
import Foundation
import ModelHubServer
import ProcessSandbox
import Sightline

/// Runs a model on an uploaded picture, in a separate process.
///
/// Standard output has a line of JSON: a ``ModelTrial``, or `{"error": "…"}` and the exit code 2.
struct TryModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try-model",
        abstract: "Run a model on a picture in a sandbox and report in JSON."
    )

    @Argument(help: "The model's file.")
    var model: String

    @Argument(help: "The picture.")
    var picture: String

    @Option(help: "The confidence below which objects are dropped (default: the model's).")
    var threshold: Float?

    private static let maximumPixels = 100_000_000

    func run() throws {
        // The runtime library is loaded first. If it is missing, the result states it.
        try? ModelFormat.loadRuntime(forModelAt: URL(filePath: model))
        var sandbox = ProcessSandbox(reading: [model, picture])
        sandbox.processorSeconds = 20
        sandbox.enter()
        do {
            try Self.write(trial())
        } catch {
            try Self.write(ModelTrialFailure(error: "\(error)"))
            throw ExitCode(2)
        }
    }

    private static func write(_ line: some Encodable) throws {
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(line) + Data("\n".utf8))
    }

    private func trial() throws -> ModelTrial {
        let data = try Data(contentsOf: URL(filePath: picture))
        let image = try VisionImage(data: data, limits: ImageLimits(maximumPixels: Self.maximumPixels))
        let (width, height) = (Double(image.size.width), Double(image.size.height))
        let scale = min(Double(ModelTrial.maximumSide) / max(width, height), 1)
        let (findings, duration) = try findings(in: image, scale: scale)
        let size = PixelSize(width: max(Int(width * scale), 1), height: max(Int(height * scale), 1))
        return ModelTrial(
            findings: findings,
            jpeg: try image.upright(in: size).encoded(as: .jpeg),
            size: (size.width, size.height),
            originalSize: (image.size.width, image.size.height),
            milliseconds: duration / .milliseconds(1)
        )
    }

    /// The labels of the picture, or the objects in it, in pixels of the shown picture.
    private func findings(
        in image: VisionImage,
        scale: Double
    ) throws -> (findings: [ModelTrial.Finding], duration: Duration) {
        let local = LocalModel(url: URL(filePath: model), confidenceThreshold: threshold)
        if try ModelInspection(of: local).task == .labeling {
            var options = ImageLabelerOptions(model: local)
            // A page shows the best labels, also those that an app would drop.
            options.confidenceThreshold = 0
            options.maximumLabels = ModelTrial.maximumLabels
            let labeler = try ImageLabeler(options: options)
            let start = ContinuousClock.now
            let labels = try labeler.labels(in: image)
            let duration = ContinuousClock.now - start
            return (labels.map { .init(label: $0.text, confidence: Double($0.confidence), frame: nil) }, duration)
        }
        var options = ObjectDetectorOptions(model: local)
        options.maximumObjects = ModelTrial.maximumFindings
        let detector = try ObjectDetector(options: options)
        let start = ContinuousClock.now
        let objects = try detector.objects(in: image)
        let duration = ContinuousClock.now - start
        let findings = objects.map { object in
            let frame = object.frame
            return ModelTrial.Finding(
                label: object.labels.first?.text ?? "",
                confidence: Double(object.confidence),
                frame: [frame.x, frame.y, frame.width, frame.height].map { Double($0) * scale }
            )
        }
        return (findings, duration)
    }
}
