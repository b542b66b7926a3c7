import Foundation
import Synchronization

extension Hub {
    /// Adds a label file to a model in a separate process, because the model is untrusted.
    ///
    /// - Parameter name: The name of the label file in the model.
    func pack(_ labels: URL, named name: String, into model: URL, of project: Project) async throws -> PackedModel {
        guard let worker = options.evaluator else {
            throw HubError(.unimplemented, "This hub cannot pack labels; serve it with `sightline hub serve`.")
        }
        let packed = PackedModel(try stage(for: project))
        let process = WorkerProcess(worker, ["pack-labels", model.path, labels.path, name])
        let ending = try await packing.run(as: project.id) {
            await process.run(timeout: Self.packingTimeout) { packed.take($0) }
        }
        switch ending {
        case .finished(status: 0): return packed
        case .finished: throw HubError(.invalidArgument, packed.refusal)
        case .crashed, .tooSlow:
            throw packed.failure
                ?? HubError(
                    .invalidArgument,
                    "The labels cannot be packed into the model: packing takes too much time or memory. Pack them with `sightline hub publish`."
                )
        case .stopped: throw CancellationError()
        case .notStarted(let reason):
            throw HubError(.internal, "The labels cannot be packed (\(reason)); install the hub again.")
        }
    }

    private static let packingTimeout = Duration.seconds(60)
}

/// A model with labels from `sightline-hub pack-labels`: a byte 1 and the model, or a byte 0 and the reason for the
/// failure. It is received like an upload, and its file is removed with this object.
final class PackedModel: Sendable {
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
    private let state: Mutex<State>
    private static let maximumReason = 4096

    init(_ file: sending StagedFile) {
        url = file.url
        entry = file.entry
        state = Mutex(State(file: file))
    }

    /// The reason for the failure.
    var refusal: String {
        let reason = state.withLock { String(decoding: $0.reason, as: UTF8.self) }
        return
            "The labels cannot be packed into the model: \(reason.isEmpty ? "its process printed no reason." : reason)"
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
    func finish() throws(HubError) -> StagedFile.Summary {
        let result: Result<StagedFile.Summary, HubError>? = state.withLock { state in
            let file = state.file
            return state.isModel == true ? Result { () throws(HubError) in try file.finish() } : nil
        }
        guard let result else { throw HubError(.invalidArgument, refusal) }
        return try result.get()
    }
}
