import ArgumentParser
import Foundation
import HTTPServing
import ModelHubServer
import ProcessSandbox
import Sightline
import SightlineTraining
import TensorFlowLite

/// Trains a labeler on the photos of a data set, in a separate process.
///
/// FOLDER has the photos, and their labels in `photos.json`. Standard output has lines of JSON, of ``TrainingLine``: the progress, at most five
/// lines a second, then the result, followed by the bytes of the model. If there is no model, the last line has an error, and the exit code is 2.
struct TrainLabelsWorker: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "train-labels",
        abstract: "Train a labeler on photos with labels, in a sandbox."
    )

    @Argument(help: "The folder of the photos and their list.")
    var folder: String

    @Option(help: "The file of the classifier whose network is used (default: the built-in network).")
    var start: String?

    @Option(help: "The name of that classifier in the card.")
    var startName: String?

    @Option(help: "The license of that classifier in the card.")
    var startLicense: String?

    /// The largest number of photos that are read at the same time.
    private static let maximumWorkers = 4

    func run() throws {
        let model = start.map { LocalModel(url: URL(filePath: $0)) } ?? .builtInFeatures
        // The runtime library is loaded first. If it is missing, the error says so.
        try? ModelFormat.loadRuntime(forModelAt: model.url)
        // Labels and a sidecar may lie beside the model.
        var sandbox = ProcessSandbox(reading: [folder, model.url.deletingLastPathComponent().path])
        sandbox.processorSeconds = 7200
        sandbox.addressSpace = 6 << 30
        sandbox.enter()
        // Not on Dispatch's threads: Dispatch reads their state from /proc, which the sandbox forbids.
        Task(executorPreference: BlockingExecutor.shared) { Foundation.exit(await train(model)) }
        while true { pause() }
    }

    /// Trains.
    ///
    /// - Returns: the exit code.
    private func train(_ model: LocalModel) async -> Int32 {
        do {
            let place = URL(filePath: folder, directoryHint: .isDirectory)
            let list = try JSONDecoder().decode(
                TrainingPhotos.self,
                from: Data(contentsOf: place.appending(path: TrainingPhotos.fileName))
            )
            let pictures = try TrainingPictures(
                list.photos.map { .init(file: $0.file, label: $0.label) },
                in: place,
                named: list.name
            )
            var options = LabelTrainerOptions(start: model)
            (options.startName, options.startLicense) = (startName, startLicense)
            if start == nil { options.startName = "the built-in network" }
            options.cache = nil
            options.workers = min(ProcessInfo.processInfo.activeProcessorCount, Self.maximumWorkers)
            var last: (stage: String, time: ContinuousClock.Instant)?
            let trained = try await LabelTrainer(options: options).train(pictures, named: list.model) { progress in
                var line = TrainingLine()
                switch progress {
                case .reading(let done, _, let total): (line.stage, line.done, line.total) = ("reading", done, total)
                case .fitting(let done, let total): (line.stage, line.done, line.total) = ("fitting", done, total)
                }
                let now = ContinuousClock.now
                if let last, last.stage == line.stage, now - last.time < .milliseconds(200) { return }
                last = (line.stage ?? "", now)
                Self.write(line)
            }
            Self.write(try Self.line(trained))
            try FileHandle.standardOutput.write(contentsOf: trained.model)
            return 0
        } catch {
            var line = TrainingLine()
            line.error = "\(error)".replacing(folder, with: "the photos")
            Self.write(line)
            return 2
        }
    }

    private static func line(_ trained: TrainedLabels) throws -> TrainingLine {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var line = TrainingLine()
        line.result = .init(
            byteCount: trained.model.count,
            threshold: trained.card.confidenceThreshold,
            notes: trained.notes,
            card: String(decoding: try encoder.encode(trained.card), as: UTF8.self),
            report: trained.report,
            doubts: trained.doubtful.map {
                .init(file: $0.path, label: $0.label, answer: $0.answer, confidence: $0.confidence)
            }
        )
        return line
    }

    /// Writes a line. Ends the process if the hub closed the pipe.
    private static func write(_ line: TrainingLine) {
        do {
            try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(line) + Data("\n".utf8))
        } catch {
            Foundation.exit(2)
        }
    }
}
