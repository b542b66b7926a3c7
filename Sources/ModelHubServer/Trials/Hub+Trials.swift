import Foundation
import Synchronization

extension Hub {
    /// The maximum size of a picture to try in bytes.
    static let maximumTrialPicture = 20_000_000
    private static let trialTimeout = Duration.seconds(30)
    /// The maximum size of a result in bytes.
    private static let maximumTrialOutput = 8 << 20

    /// Whether a version can be tried with a picture.
    func canTry(_ version: ModelVersion) -> Bool {
        options.evaluator != nil && version.warning == nil && version.task != nil
    }

    /// Runs a version of a model on a received picture in a separate process. Nothing is kept.
    ///
    /// - Throws: `.failedPrecondition` if the version cannot be tried, `.invalidArgument` with the reason if the picture
    ///   cannot be used.
    func tryModel(
        _ model: ModelRecord,
        version number: Int,
        on picture: StagedFile,
        named name: String,
        by caller: Caller
    ) async throws -> ModelTrial {
        try caller.require(.viewer)
        guard let version = try await records.version(number, of: model.id) else {
            throw HubError(.notFound, "\(model.displayName) has no version \(number); choose another version.")
        }
        guard let worker = options.evaluator, canTry(version) else {
            throw HubError(
                .failedPrecondition,
                "The hub cannot run version \(number) of \(model.displayName) on a picture; choose another version."
            )
        }
        _ = try picture.finish()
        let picturePath = picture.url.path
        let threshold = version.confidenceThreshold.map { ["--threshold", "\($0)"] } ?? []
        let output = Mutex(Data())
        let file = try await blobs.open(version.hash)
        let ending = try await trials.run(as: caller.project.id) {
            try await withPath(of: file) { path in
                let process = WorkerProcess(worker, ["try-model", path, picturePath] + threshold)
                return await process.run(timeout: Self.trialTimeout) { piece in
                    output.withLock { output in
                        output += piece
                        return output.count <= Self.maximumTrialOutput
                    }
                }
            }
        }
        // The file is removed with its object.
        withExtendedLifetime(picture) {}
        let line = output.withLock { $0 }
        switch ending {
        case .finished(status: 0):
            guard let trial = ModelTrial(json: line) else { throw Self.failedTrial(name) }
            return trial
        case .finished:
            guard let failure = try? JSONDecoder().decode(ModelTrialFailure.self, from: line) else {
                throw Self.failedTrial(name)
            }
            let reason = failure.error.replacing(picturePath, with: name).prefix(ModelValidation.maximumMessage)
            throw HubError(.invalidArgument, "\(name) cannot be used: \(reason)")
        case .crashed, .tooSlow: throw Self.failedTrial(name)
        case .stopped: throw CancellationError()
        case .notStarted(let reason):
            throw HubError(.internal, "The model cannot be tried (\(reason)); install the hub again.")
        }
    }

    private static func failedTrial(_ name: String) -> HubError {
        HubError(.invalidArgument, "\(name) takes too much time or memory with this model; try a smaller picture.")
    }
}
