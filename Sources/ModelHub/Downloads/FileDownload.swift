import DurableFiles
import Foundation
import ModelHubProtocol

/// The download of a model's file from the address that a hub issued, in as many exchanges as it takes.
package struct FileDownload {
    /// A file whose size and SHA-256 are those that the hub announced.
    package typealias Verified = (file: PartialFile, info: ModelInfo)

    /// Longer than any download takes on a working link.
    private static let timeout = Duration.seconds(24 * 3600)
    private static let maximumError = 64 << 10

    private let transport: HubTransport
    private let allowsMeteredLinks: Bool
    private let renew: () async throws(HubFailure) -> ModelInfo
    private let open: (ModelInfo) throws(DurableFileError) -> PartialFile
    private let report: (DownloadProgress) -> Void
    private var attempts: Attempts
    private var hasRenewed = false
    private var hasStartedAgain = false

    /// Creates a download.
    ///
    /// - Parameters:
    ///   - renew: Asks for another address after the address has expired; at most once.
    ///   - open: Opens the bytes of earlier attempts.
    ///   - report: Called after each piece, in order.
    package init(
        over transport: HubTransport,
        retry: RetryPolicy,
        renew: @escaping () async throws(HubFailure) -> ModelInfo,
        open: @escaping (ModelInfo) throws(DurableFileError) -> PartialFile,
        report: @escaping (DownloadProgress) -> Void
    ) {
        self.init(
            over: transport,
            Attempts(retry),
            allowsMeteredLinks: true,
            renew: renew,
            open: open,
            report: report
        )
    }

    init(
        over transport: HubTransport,
        _ attempts: Attempts,
        allowsMeteredLinks: Bool,
        renew: @escaping () async throws(HubFailure) -> ModelInfo,
        open: @escaping (ModelInfo) throws(DurableFileError) -> PartialFile,
        report: @escaping (DownloadProgress) -> Void
    ) {
        self.transport = transport
        self.attempts = attempts
        self.allowsMeteredLinks = allowsMeteredLinks
        self.renew = renew
        self.open = open
        self.report = report
    }

    /// Downloads the file, after the bytes of earlier attempts. An attempt that received bytes beyond all earlier ones
    /// does not count, so that a link that breaks often delays a long download but does not end it.
    ///
    /// - Returns: The file, and its description, which is newer if the address had to be renewed.
    package mutating func run(_ first: ModelInfo) async throws(HubFailure) -> Verified {
        var info = first
        var file = try opened(info)
        attempts.resume(at: file.byteCount)
        while true {
            do throws(HubFailure) {
                try await fetch(info, into: file)
                if file.sha256 == info.hash { return (file, info) }
                // The resumed part may be damaged. A second attempt downloads the whole file.
                let wasResumed = file.isResumed
                file.discard()
                guard wasResumed, !hasStartedAgain else {
                    throw .wrongContent(reason: "its SHA-256 is not \(info.hash)")
                }
                hasStartedAgain = true
                file = try opened(info)
            } catch {
                if mayBeExpired(error), !hasRenewed {
                    hasRenewed = true
                    let renewed = try await attempts.run(renew)
                    if renewed.hash != info.hash { file = try opened(renewed) }
                    info = renewed
                    continue
                }
                attempts.renew(at: file.byteCount)
                // Frees disk space and removes wrong bytes; a canceled download can be resumed later.
                if error.invalidatesPartialFile { file.discard() }
                try await attempts.pause(after: error)
            }
        }
    }

    /// Whether a refusal may mean that the address has expired. The hub's clock decides that; the one of this device may be wrong.
    private func mayBeExpired(_ failure: HubFailure) -> Bool {
        if case .refused(400, _, _) = failure { true } else { false }
    }

    private func opened(_ info: ModelInfo) throws(HubFailure) -> PartialFile {
        try HubFailure.storing { () throws(DurableFileError) in try open(info) }
    }

    /// Downloads the missing bytes in one exchange.
    private func fetch(_ info: ModelInfo, into file: PartialFile) async throws(HubFailure) {
        if file.byteCount == info.size { return }
        if file.byteCount > info.size {
            try HubFailure.storing { () throws(DurableFileError) in try file.clear() }
        }
        var transfer = FileTransfer(into: file, size: .exactly(info.size), tag: EntityTag.quoted(info.hash))
        var request = HubRequest(url: try transport.url(info.address))
        request.allowsMeteredLinks = allowsMeteredLinks
        for field in transfer.requestFields { request.headers.add(name: field.name, value: field.value) }
        let response = try await transport.execute(request, timeout: Self.timeout)
        let head = ResponseHead(status: response.status) { response.headers.first(name: $0) }
        do throws(FileTransfer.Failure) {
            try transfer.begin(head)
        } catch {
            guard case .refused = error else { throw .transfer(error) }
            throw try await transport.reply(to: response, upTo: Self.maximumError).failure
        }
        func report() { self.report(DownloadProgress(completedByteCount: file.byteCount, totalByteCount: info.size)) }
        report()
        var pieces = response.pieces()
        while let piece = try await transport.next(&pieces) {
            let result: Result<Void, FileTransfer.Failure> = piece.withUnsafeBytes { bytes in
                Result { () throws(FileTransfer.Failure) in try transfer.receive(bytes) }
            }
            do throws(FileTransfer.Failure) { try result.get() } catch { throw .transfer(error) }
            report()
        }
        do throws(FileTransfer.Failure) { try transfer.end() } catch { throw .transfer(error) }
    }
}

extension HubFailure {
    /// Whether the bytes so far are wrong or the disk needs their space.
    fileprivate var invalidatesPartialFile: Bool {
        switch self {
        case .wrongContent, .transfer(.wrongSize): true
        case .file(let error), .transfer(.file(let error)): error.isForSpace
        default: false
        }
    }
}
