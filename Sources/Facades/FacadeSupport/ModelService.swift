import Dispatch
import Foundation
import ModelHub

/// The operations of the facades' model managers, on the model manager of the configured app.
public struct ModelService: Sendable {
    private let domain: String
    private let manager: @Sendable () throws -> ModelHub.ModelManager

    /// Creates a service that calls `manager` whenever it needs the app.
    ///
    /// - Parameters:
    ///   - domain: The domain of the errors.
    ///   - manager: Throws `HubAppError` if no app is configured.
    public init(domain: String, manager: @escaping @Sendable () throws -> ModelHub.ModelManager) {
        self.domain = domain
        self.manager = manager
    }

    /// Whether a model is downloaded and complete; false if no app is configured.
    public func isModelDownloaded(named name: String) -> Bool {
        (try? downloadedModel(named: name)) != nil
    }

    /// The downloaded version of a model.
    ///
    /// - Throws: `FacadeError` or `HubAppError`, not yet translated.
    public func downloadedModel(named name: String) throws -> DownloadedModel {
        guard let model = try manager().downloadedModel(for: RemoteModel(name: name)) else {
            throw FacadeError.notDownloaded(model: name)
        }
        return model
    }

    /// Starts a download of the newest version.
    ///
    /// - Parameter completion: Called once, on the main queue, with an error or nil.
    /// - Returns: The progress. Canceling it cancels the download.
    public func download(
        modelNamed name: String,
        conditions: ModelDownloadConditions,
        completion: @escaping @MainActor @Sendable (NSError?) -> Void
    ) -> Progress {
        do {
            return try manager().startDownload(of: RemoteModel(name: name), conditions: conditions) { result in
                finish(result.failure, completion)
            }
        } catch {
            finish(error, completion)
            let progress = Progress(totalUnitCount: 1)
            progress.cancel()
            return progress
        }
    }

    /// Removes a model.
    ///
    /// - Parameter completion: Called once, on the main queue, with an error or nil.
    public func deleteModel(
        named name: String,
        completion: @escaping @MainActor @Sendable (NSError?) -> Void
    ) {
        Self.queue.async {
            do {
                try remove(name)
                finish(nil, completion)
            } catch {
                finish(error, completion)
            }
        }
    }

    /// Removes a model.
    ///
    /// - Throws: An `NSError`.
    public func deleteModel(named name: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Self.queue.async {
                continuation.resume(
                    with: Result { try remove(name) }.mapError { ErrorTranslation.error($0, domain: domain) }
                )
            }
        }
    }

    /// Removing a model waits for the disk, so it must not run on the main thread or on a thread of the Swift runtime.
    private static let queue = DispatchQueue(label: "sightline.facade.models", qos: .utility)

    private func remove(_ name: String) throws {
        try manager().deleteDownloadedModel(RemoteModel(name: name))
    }

    private func finish(_ error: (any Error)?, _ completion: @escaping @MainActor @Sendable (NSError?) -> Void) {
        let error = error.map { ErrorTranslation.error($0, domain: domain) }
        MainQueue.async { completion(error) }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
