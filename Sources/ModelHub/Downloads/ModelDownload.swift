import Foundation

/// A single download of a model's newest version, from the request for its metadata to its installation.
struct ModelDownload: Sendable {
    let name: String
    let client: HubClient
    let store: ModelStore
    let retry: RetryPolicy
    /// Called after each piece, in order.
    let report: @Sendable (DownloadProgress) -> Void

    /// Runs the download. A file that is present and up to date is not downloaded again.
    func run() async throws(DownloadError) -> DownloadedModel {
        var tries = Tries(policy: retry, model: name)
        let current = store.model(named: name)
        var info: ModelInfo
        switch try await self.info(known: current?.hash, &tries) {
        case .changed(let new): info = new
        case .unchanged(let threshold):
            guard let current else {
                throw .internalError(model: name, reason: "the hub answered 304 although no model is cached")
            }
            return try store.setConfidenceThreshold(threshold, of: current)
        }
        if let model = try store.adopt(info, as: name) { return model }
        var file = try store.partialFile(of: info.hash)
        var hasRenewed = false
        var hasStartedAgain = false
        while true {
            do throws(HubClient.Failure) {
                try await fetch(info, into: file)
                // The resumed part may be damaged. A second attempt downloads the whole file.
                if file.sha256 == info.hash { break }
                let wasResumed = file.isResumed
                file.discard()
                guard wasResumed, !hasStartedAgain else {
                    throw .lasting(.wrongContent(model: name, reason: "its SHA-256 is not \(info.hash)"))
                }
                hasStartedAgain = true
                file = try reopened(info)
            } catch {
                switch error {
                case .passing(let error, let retryAfter):
                    try await tries.pause(after: error, retryAfter: retryAfter)
                case .expired(let error):
                    if hasRenewed { throw error }
                    hasRenewed = true
                    guard case .changed(let renewed) = try await self.info(known: nil, &tries) else { throw error }
                    if renewed.hash != info.hash {
                        if let model = try store.adopt(renewed, as: name) { return model }
                        file = try store.partialFile(of: renewed.hash)
                    }
                    info = renewed
                case .lasting(let error):
                    // Frees disk space and removes wrong bytes; a canceled download can be resumed later.
                    switch error {
                    case .notEnoughSpace, .wrongContent: file.discard()
                    default: break
                    }
                    throw error
                }
            }
        }
        if Task.isCancelled { throw .cancelled(model: name) }
        return try store.install(file, of: info, as: name)
    }

    private func reopened(_ info: ModelInfo) throws(HubClient.Failure) -> PartialFile {
        do throws(DownloadError) { return try store.partialFile(of: info.hash) } catch { throw .lasting(error) }
    }

    private func fetch(_ info: ModelInfo, into file: PartialFile) async throws(HubClient.Failure) {
        if file.byteCount == info.size { return }
        if file.byteCount > info.size {
            do throws(DownloadError) { try file.clear() } catch { throw .lasting(error) }
        }
        try await client.download(info, into: file, model: name) { count in
            report(DownloadProgress(completedByteCount: count, totalByteCount: info.size))
        }
    }

    private func info(known: String?, _ tries: inout Tries) async throws(DownloadError) -> HubClient.Answer {
        while true {
            do throws(HubClient.Failure) {
                return try await client.info(of: name, known: known)
            } catch {
                guard case .passing(let error, let retryAfter) = error else { throw error.error }
                try await tries.pause(after: error, retryAfter: retryAfter)
            }
        }
    }

    /// The remaining attempts of a download.
    private struct Tries {
        let policy: RetryPolicy
        let model: String
        private var count = 1

        init(policy: RetryPolicy, model: String) {
            self.policy = policy
            self.model = model
        }

        /// Waits before the next attempt; throws the error if no attempts remain.
        mutating func pause(after error: DownloadError, retryAfter: Duration?) async throws(DownloadError) {
            guard count < policy.tries else { throw error }
            let pause = policy.pause(after: count, retryAfter: retryAfter, random: .random(in: 0...1))
            count += 1
            do { try await Task.sleep(for: pause) } catch { throw .cancelled(model: model) }
        }
    }
}
