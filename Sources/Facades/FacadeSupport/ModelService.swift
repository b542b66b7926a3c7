import Dispatch
import Foundation
import ModelHub

/// What the facades' model managers do, on the model manager of the configured app.
public struct ModelService: Sendable {
    private let domain: String
    private let manager: @Sendable () throws -> ModelHub.ModelManager

    /// A service that knows the app by what `manager` gives whenever it is needed.
    ///
    /// - Parameters:
    ///   - domain: that of the errors.
    ///   - manager: throws `HubAppError` where there is no app.
    public init(domain: String, manager: @escaping @Sendable () throws -> ModelHub.ModelManager) {
        self.domain = domain
        self.manager = manager
    }

    /// Whether a model is there and whole; false if no app is configured.
    public func isModelDownloaded(named name: String) -> Bool {
        (try? downloadedModel(named: name)) != nil
    }

    /// The model that is there.
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
    /// - Parameter completion: called once, on the main queue, with an error or none.
    /// - Returns: how far it is; cancelling that cancels the download.
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
    /// - Parameter completion: called once, on the main queue, with an error or none.
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
    /// - Throws: an `NSError`.
    public func deleteModel(named name: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Self.queue.async {
                continuation.resume(
                    with: Result { try remove(name) }.mapError { ErrorTranslation.error($0, domain: domain) }
                )
            }
        }
    }

    /// Removing waits for the disk, which neither the main thread nor those of the Swift runtime may.
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
