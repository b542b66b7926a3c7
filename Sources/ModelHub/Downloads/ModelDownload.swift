import DurableFiles
import Foundation
import ModelHubProtocol

/// A single download of the version that an alias of a model names, from the request for its metadata to its installation.
struct ModelDownload: Sendable {
    let model: RemoteModel
    let client: HubClient
    let store: DownloadedModels
    let retry: RetryPolicy
    /// Whether the file may come over metered links, where the system can detect it during a transfer.
    let allowsMeteredLinks: Bool
    /// Called after each piece, in order.
    let report: @Sendable (DownloadProgress) -> Void

    /// Runs the download. A file that is present and up to date is not downloaded again.
    func run() async throws(DownloadError) -> DownloadedModel {
        do throws(HubFailure) {
            // Another process may accept a newer version meanwhile; this one then asks again.
            for _ in 0..<3 {
                if let model = try await install() { return model }
            }
            throw .wrongContent(reason: "other processes install other versions of it at the same time")
        } catch {
            throw DownloadError(error, of: model, place: client.place)
        }
    }

    /// Installs the version that the alias names; nil if another process accepted a newer version meanwhile.
    private func install() async throws(HubFailure) -> DownloadedModel? {
        var attempts = Attempts(retry)
        let info: ModelInfo
        switch try await approvedAnswer(known: store.model(model), &attempts) {
        case .changed(let new): info = new
        case .unchanged(let known, let threshold, let assignment, _):
            return try HubFailure.storing { () throws(DurableFileError) in
                try store.set(threshold, assignment, of: known)
            }
        }
        let present = try HubFailure.storing { () throws(DurableFileError) in try store.adopt(info, as: model) }
        if let present { return present.model }
        var download = FileDownload(
            over: client.transport,
            attempts,
            allowsMeteredLinks: allowsMeteredLinks,
            renew: { () async throws(HubFailure) in
                guard case .changed(let info) = try await client.info(of: model, known: nil) else {
                    throw .invalidReply(reason: "the hub answered 304 although no model is cached")
                }
                return try await approved(info)
            },
            open: { (info) throws(DurableFileError) in try store.partialFile(of: info.hash) },
            report: report
        )
        let (file, newest) = try await download.run(info)
        if Task.isCancelled { throw .cancelled }
        return try HubFailure.storing { () throws(DurableFileError) in
            try store.install(file, of: newest, as: model)
        }.model
    }
}
