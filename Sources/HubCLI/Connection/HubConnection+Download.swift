import DurableFiles
import Foundation
import HTTPTypes
import ModelHub
import ModelHubProtocol
import ModelHubServer

extension HTTPField.Name {
    /// The formats that a client reads. The name is a constant of a valid form.
    fileprivate static let formats = HTTPField.Name(HubHeader.formats) ?? .accept
}

extension HubConnection {
    /// Downloads a version of a model as clients do. A download whose hash does not match is refused, and an existing file
    /// is replaced only by a complete download. A download over the network that stops is resumed by the next one.
    ///
    /// - Parameter target: The path of the file for a format.
    /// - Returns: The path and the SHA-256 of the file.
    @discardableResult
    func downloadModel(
        _ name: String,
        alias: ModelAlias,
        to target: (HostedFormat) -> URL
    ) async throws -> (file: URL, sha256: String) {
        let info = try await info(of: name, alias)
        let target = target(info.format)
        let part = target.appendingPathExtension("part")
        let file =
            switch transport {
            case .local(let hub): try await copy(info, of: hub, to: part)
            case .remote(let hub): try await download(info, of: name, alias, from: hub, to: part)
            }
        try file.install(at: target)
        return (target, file.sha256)
    }

    /// The version that an alias names.
    private func info(of name: String, _ alias: ModelAlias) async throws -> ModelInfo {
        let query = alias == .production ? "" : "?alias=\(Self.encoded(alias.rawValue))"
        let target = models(name, verb: ":download") + query
        var headers = HTTPFields()
        headers[.formats] = HostedFormat.list(HostedFormat.allCases)
        let reply = try await exchange(.get, target, headers: headers)
        do {
            let body = try Self.checked(reply.body, status: reply.status)
            return try ModelInfo(body, etag: reply.headers[.eTag].map { EntityTag($0) })
        } catch let error as CommandError {
            let hint = alias == .production ? " `sightline hub list` shows the published models." : ""
            throw CommandError("\(name) cannot be downloaded: \(error)\(hint)")
        } catch let failure as HubFailure {
            throw CommandError(failure, of: target)
        }
    }

    private func download(
        _ info: ModelInfo,
        of name: String,
        _ alias: ModelAlias,
        from hub: RemoteHub,
        to part: URL
    ) async throws -> PartialFile {
        var download = FileDownload(
            over: hub.transport,
            retry: RetryPolicy(),
            renew: { () async throws(HubFailure) in
                do {
                    return try await self.info(of: name, alias)
                } catch {
                    throw .invalidReply(reason: "\(error)")
                }
            },
            open: { _ throws(DurableFileError) in try Self.opened(part) },
            report: { _ in }
        )
        do throws(HubFailure) {
            return try await download.run(info).file
        } catch {
            switch error {
            case .wrongContent, .transfer(.wrongSize): throw Self.mismatch
            default: throw CommandError(error, of: hub.transport.base)
            }
        }
    }

    /// Copies the file of a hub on this machine.
    private func copy(_ info: ModelInfo, of hub: InProcessHub, to part: URL) async throws -> PartialFile {
        guard FileManager.default.createFile(atPath: part.path, contents: nil),
            let handle = try? FileHandle(forWritingTo: part)
        else {
            throw CommandError("\(part.path) cannot be written; check the folder and the disk.")
        }
        do {
            defer { try? handle.close() }
            let target = String(info.address.dropFirst(InProcessHub.base.count))
            let reply = try await hub.send(.get, target, writingTo: handle)
            _ = try Self.checked(Data(reply.body.readableBytesView), status: reply.status)
            let file = try Self.opened(part)
            guard file.sha256 == info.hash, file.byteCount == info.size else { throw Self.mismatch }
            return file
        } catch {
            try? FileManager.default.removeItem(at: part)
            throw error
        }
    }

    private static func opened(_ part: URL) throws(DurableFileError) -> PartialFile {
        guard let file = try PartialFile.opened(part.path) else {
            throw DurableFileError(path: part.path, code: EBUSY)
        }
        return file
    }

    private static let mismatch = CommandError(
        "The downloaded file does not match the hash or the size that the hub announced; try again."
    )
}
