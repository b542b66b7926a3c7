import Foundation
import Synchronization

extension Hub {
    /// Makes a model from an uploaded one in a separate process, because the uploaded model is untrusted.
    ///
    /// - Parameters:
    ///   - arguments: The arguments for `sightline-hub`, which prints the model as ``DerivedModel`` reads it.
    ///   - project: The project whose quota counts the model.
    ///   - words: The texts of errors.
    func makeModel(_ arguments: [String], of project: Project, words: DerivedModel.Words) async throws -> DerivedModel {
        guard let worker = options.evaluator else {
            throw HubError(.unimplemented, "\(words.failure) by this hub; serve it with `sightline hub serve`.")
        }
        let made = DerivedModel(try stage(for: project), words)
        let process = WorkerProcess(worker, arguments)
        let ending = try await modelMaking.run(as: project.id) {
            await process.run(timeout: Self.modelMakingTimeout) { made.take($0) }
        }
        switch ending {
        case .finished(status: 0): return made
        case .finished: throw HubError(.invalidArgument, made.refusal)
        case .crashed, .tooSlow:
            throw made.failure
                ?? HubError(
                    .invalidArgument,
                    "\(words.failure): it takes too much time or memory. \(words.alternative)"
                )
        case .stopped: throw CancellationError()
        case .notStarted(let reason):
            throw HubError(.internal, "\(words.failure) (\(reason)); install the hub again.")
        }
    }

    private static let modelMakingTimeout = Duration.seconds(60)
}

/// A model that a process of `sightline-hub` made from another: a byte 1 and the model, or a byte 0 and the reason for the
/// failure. It is received like an upload, and its file is removed with this object.
final class DerivedModel: Sendable {
    /// The operation's name in error messages.
    struct Words: Sendable {
        /// The failure, as a clause.
        var failure: String
        /// The next step if the process takes too much time or memory, as a sentence.
        var alternative: String
    }

    private struct State {
        var file: StagedFile
        var isModel: Bool?
        var reason = Data()
        var failure: HubError?
    }

    /// The path of the model.
    let url: URL
    /// Its bytes in the project's quota.
    let entry: UploadLedger.Entry?
    private let words: Words
    private let state: Mutex<State>
    private static let maximumReason = 4096

    init(_ file: sending StagedFile, _ words: Words) {
        self.words = words
        url = file.url
        entry = file.entry
        state = Mutex(State(file: file))
    }

    /// The reason for the failure.
    var refusal: String {
        let reason = state.withLock { String(decoding: $0.reason, as: UTF8.self) }
        return "\(words.failure): \(reason.isEmpty ? "its process printed no reason." : reason)"
    }

    /// The reason why the model could not be stored.
    var failure: HubError? { state.withLock { $0.failure } }

    /// Receives the next bytes; false if they cannot be stored.
    func take(_ piece: Data) -> Bool {
        state.withLock { state in
            var piece = piece[...]
            if state.isModel == nil { state.isModel = piece.popFirst() == 1 }
            guard state.isModel == true else {
                state.reason += piece.prefix(Self.maximumReason - state.reason.count)
                return true
            }
            let file = state.file
            let result: Result<Void, HubError> = piece.withUnsafeBytes { bytes in
                Result { () throws(HubError) in try file.append(bytes) }
            }
            if case .failure(let error) = result { state.failure = error }
            return state.failure == nil
        }
    }

    /// The summary of the received bytes, after they are on disk.
    func finish() throws(HubError) -> FileSummary {
        let result: Result<FileSummary, HubError>? = state.withLock { state in
            let file = state.file
            return state.isModel == true ? Result { () throws(HubError) in try file.finish() } : nil
        }
        guard let result else { throw HubError(.invalidArgument, refusal) }
        return try result.get()
    }
}
