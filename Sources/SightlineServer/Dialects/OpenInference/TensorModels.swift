import HTTPServing
import ModelHubProtocol
import Sightline
import Synchronization
import TensorFlowLite

/// The models of a service, compiled for tensors as they are. A model is compiled for the first request with tensors, because most
/// servers only get pictures, and again when a new version is in use.
final class TensorModels: Sendable {
    private struct Compiled {
        let version: String
        let runner: TensorRunner
    }

    private let workers: Int
    /// The compiled models by name.
    private let compiled = Mutex<[String: Compiled]>([:])
    private let calls = SharedCall<AnswerModel, TensorRunner, any Error>()

    /// - Parameter workers: the number of compiled copies of each model.
    init(workers: Int) { self.workers = workers }

    /// A model for tensors.
    ///
    /// - Throws: the errors of `TensorRunner`.
    func runner(for model: any InferenceModel, _ name: AnswerModel) async throws -> TensorRunner {
        if let known = known(name) { return known }
        return try await calls.result(for: name) { [self] in
            if let known = known(name) { return known }
            let runner = try await BlockingExecutor.run { try TensorRunner(model, workers: workers) }
            compiled.withLock { $0[name.name] = Compiled(version: name.version, runner: runner) }
            return runner
        }
    }

    private func known(_ name: AnswerModel) -> TensorRunner? {
        compiled.withLock { compiled in
            guard let known = compiled[name.name], known.version == name.version else { return nil }
            return known.runner
        }
    }
}
