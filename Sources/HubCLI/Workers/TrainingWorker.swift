import ArgumentParser
import Foundation
import HTTPServing
import ModelHubServer
import ProcessSandbox
import Sightline
import SightlineTraining
import TensorFlowLite

/// The work of a process that trains on the photos of a data set.
///
/// FOLDER has the photos, and what is known about them in `photos.json`. Standard output has lines of JSON, of ``TrainingLine``: the progress,
/// at most five lines a second, then the result, followed by the bytes of the model. If there is no model, the last line has an error, and the
/// exit code is 2.
struct TrainingWorkerArguments: ParsableArguments {
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

    /// The folder, the photos in it, the options of a trainer, and a function that shows the progress.
    struct Work {
        var folder: URL
        var photos: TrainingPhotos
        var options: TrainerOptions
        var show: (BoxTrainingProgress) -> Void
    }

    /// Trains in the sandbox, and ends the process.
    ///
    /// - Parameters:
    ///   - models: Other models than the start that are read.
    ///   - train: Makes a model; returns what the hub stores, and the model's bytes.
    func run(
        reading models: [LocalModel] = [],
        _ train: @escaping @Sendable (Work) async throws -> (TrainingLine.Result, Data)
    ) {
        let model = start.map { LocalModel(url: URL(filePath: $0)) } ?? .builtInFeatures
        // The runtime library is loaded first. If it is missing, the error says so.
        try? ModelFormat.loadRuntime(forModelAt: model.url)
        // Labels and a sidecar may lie beside the model.
        var sandbox = ProcessSandbox(
            reading: [folder] + ([model] + models).map { $0.url.deletingLastPathComponent().path }
        )
        sandbox.processorSeconds = 7200
        sandbox.addressSpace = 6 << 30
        sandbox.enter()
        // Not on Dispatch's threads: Dispatch reads their state from /proc, which the sandbox forbids.
        Task(executorPreference: BlockingExecutor.shared) { Foundation.exit(await work(model, train)) }
        while true { pause() }
    }

    /// Trains.
    ///
    /// - Returns: the exit code.
    private func work(
        _ model: LocalModel,
        _ train: (Work) async throws -> (TrainingLine.Result, Data)
    ) async -> Int32 {
        do {
            let place = URL(filePath: folder, directoryHint: .isDirectory)
            let photos = try JSONDecoder().decode(
                TrainingPhotos.self,
                from: Data(contentsOf: place.appending(path: TrainingPhotos.fileName))
            )
            var options = TrainerOptions(start: model)
            (options.startName, options.startLicense) = (startName, startLicense)
            if start == nil { options.startName = "the built-in network" }
            options.cache = nil
            options.workers = min(ProcessInfo.processInfo.activeProcessorCount, Self.maximumWorkers)
            var last: (stage: String, time: ContinuousClock.Instant)?
            let show = { (progress: BoxTrainingProgress) in
                var line = TrainingLine()
                switch progress {
                case .reading(let done, _, let total): (line.stage, line.done, line.total) = ("reading", done, total)
                case .fitting(let done, let total): (line.stage, line.done, line.total) = ("fitting", done, total)
                case .covered: return
                }
                let now = ContinuousClock.now
                if let last, last.stage == line.stage, now - last.time < .milliseconds(200) { return }
                last = (line.stage ?? "", now)
                Self.write(line)
            }
            let (result, bytes) = try await train(Work(folder: place, photos: photos, options: options, show: show))
            var line = TrainingLine()
            line.result = result
            Self.write(line)
            try FileHandle.standardOutput.write(contentsOf: bytes)
            return 0
        } catch {
            var line = TrainingLine()
            line.error = "\(error)".replacing(folder, with: "the photos")
            Self.write(line)
            return 2
        }
    }

    /// The JSON of a card.
    static func text(_ card: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(card), as: UTF8.self)
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
