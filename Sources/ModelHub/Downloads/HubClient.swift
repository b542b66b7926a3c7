import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// The requests that a client sends to a hub, and the meaning of the responses.
struct HubClient: Sendable {
    let configuration: ModelHubConfiguration
    let installation: Installation

    /// A reason why a request failed.
    enum Failure: Error {
        /// A temporary failure. The hub may ask for a minimum delay before the next attempt.
        case passing(DownloadError, retryAfter: Duration? = nil)
        /// The address of the file has expired.
        case expired(DownloadError)
        case lasting(DownloadError)

        var error: DownloadError {
            switch self {
            case .passing(let error, _), .expired(let error), .lasting(let error): error
            }
        }
    }

    /// Longer than any download takes on a working link.
    private static let timeout = TimeAmount.hours(24)
    static let infoTimeout = TimeAmount.seconds(60)
    static let maximumInfo = 64 << 10

    // MARK: - Model information

    /// A hub's response to a request for a model.
    enum Answer {
        /// The newest version differs from the known version.
        case changed(ModelInfo)
        /// The known version is the newest; its threshold may have changed.
        case unchanged(confidenceThreshold: Float?)
    }

    /// Requests the newest version of a model.
    func info(of model: String, known: String?) async throws(Failure) -> Answer {
        var request = request("/v1beta2/projects/\(project)/models/\(model):download")
        if let known { request.headers.add(name: "if-none-match", value: known) }
        if let token = installation.token { request.headers.add(name: Self.installationHeader, value: token) }
        var response = try await send(request, timeout: Self.infoTimeout, model: model)
        if response.status == .unauthorized, let app = configuration.appID {
            // The project requires a registered installation, and the hub does not know this one, or no longer.
            let token = try await register(app: app, model: model)
            request.headers.replaceOrAdd(name: Self.installationHeader, value: token)
            response = try await send(request, timeout: Self.infoTimeout, model: model)
        }
        let status = Int(response.status.code)
        let etag = response.headers.first(name: "etag")
        let threshold = Self.confidenceThreshold(response.headers)
        let body = try await collect(response, model: model)
        switch status {
        case 200:
            do {
                return .changed(try ModelInfo(body, etag: etag, confidenceThreshold: threshold, model: model))
            } catch {
                throw .lasting(error)
            }
        case 304:
            guard let known else {
                throw .lasting(.internalError(model: model, reason: "the hub answered 304 although no model is cached"))
            }
            guard ModelHash.hash(inETag: etag) == known else {
                throw .lasting(
                    .internalError(model: model, reason: "the hub answered 304 with the ETag of another version")
                )
            }
            return .unchanged(confidenceThreshold: threshold)
        default:
            throw failure(response, body: body, model: model)
        }
    }

    /// The threshold in the response headers, which the ETag does not cover; nil if the header is missing or invalid.
    private static func confidenceThreshold(_ headers: HTTPHeaders) -> Float? {
        headers.first(name: "x-sightline-confidence-threshold").flatMap { Float($0) }.flatMap {
            (0...1).contains($0) ? $0 : nil
        }
    }

    private var base: String {
        let text = configuration.hub.absoluteString
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// The project as part of a path.
    var project: String {
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_.:"))
        return configuration.projectID.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    /// A request to the hub with the app's credentials.
    func request(_ path: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: base + path)
        request.headers.add(name: "x-goog-api-key", value: configuration.apiKey)
        if let bundle = configuration.bundleID { request.headers.add(name: "x-ios-bundle-identifier", value: bundle) }
        return request
    }

    // MARK: - The file

    /// Downloads the missing bytes of a file and reports the number of its bytes after each piece.
    func download(
        _ info: ModelInfo,
        into file: PartialFile,
        model: String,
        report: (Int) -> Void
    ) async throws(Failure) {
        var request = HTTPClientRequest(url: info.address)
        if file.byteCount > 0 {
            request.headers.add(name: "range", value: "bytes=\(file.byteCount)-")
            request.headers.add(name: "if-range", value: "\"\(info.hash)\"")
        }
        let response = try await send(request, timeout: Self.timeout, model: model)
        let status = Int(response.status.code)
        switch status {
        case 200:
            try storing { () throws(DownloadError) in try file.clear() }
        case 206 where file.byteCount > 0:
            let range = response.headers.first(name: "content-range") ?? ""
            guard range == "bytes \(file.byteCount)-\(info.size - 1)/\(info.size)" else {
                try storing { () throws(DownloadError) in try file.clear() }
                throw .passing(.wrongContent(model: model, reason: "the hub sent a different range than requested"))
            }
        case 416 where file.byteCount > 0:
            try storing { () throws(DownloadError) in try file.clear() }
            throw .passing(.wrongContent(model: model, reason: "the hub has fewer bytes than the partial file"))
        case 400:
            let body = try await collect(response, model: model)
            let failure = failure(response, body: body, model: model)
            if info.expiry.map({ $0 <= Date() }) ?? true { throw .expired(failure.error) }
            throw failure
        default:
            throw failure(response, body: try await collect(response, model: model), model: model)
        }
        if let length = response.headers.first(name: "content-length"), Int(length) != info.size - file.byteCount {
            throw .lasting(
                .wrongContent(
                    model: model,
                    reason: "\(length) bytes are announced, but \(info.size - file.byteCount) are missing"
                )
            )
        }
        report(file.byteCount)
        try await receive(response, of: info, into: file, model: model, report: report)
    }

    private func receive(
        _ response: HTTPClientResponse,
        of info: ModelInfo,
        into file: PartialFile,
        model: String,
        report: (Int) -> Void
    ) async throws(Failure) {
        var pieces = response.body.makeAsyncIterator()
        while true {
            let piece: ByteBuffer?
            do {
                piece = try await pieces.next()
            } catch {
                throw unreachable(error, model: model)
            }
            guard let piece else { break }
            guard piece.readableBytes <= info.size - file.byteCount else {
                throw .lasting(.wrongContent(model: model, reason: "it has more than its \(info.size) bytes"))
            }
            try storing { () throws(DownloadError) in try file.append(piece) }
            report(file.byteCount)
        }
        guard file.byteCount == info.size else {
            throw .passing(
                .wrongContent(model: model, reason: "only \(file.byteCount) of its \(info.size) bytes arrived")
            )
        }
    }

    private func storing(_ body: () throws(DownloadError) -> Void) throws(Failure) {
        do throws(DownloadError) { try body() } catch { throw .lasting(error) }
    }

    // MARK: - Sending

    func send(
        _ request: HTTPClientRequest,
        timeout: TimeAmount,
        model: String
    ) async throws(Failure) -> HTTPClientResponse {
        guard let url = URL(string: request.url), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme)
        else {
            throw .lasting(
                .internalError(model: model, reason: "\(Self.bare(request.url)) is not an http or https address")
            )
        }
        let client: HTTPClient
        do throws(HTTPClients.Unusable) {
            client = try HTTPClients.client(for: url, trusting: configuration.trustedRoots)
        } catch {
            throw .lasting(.failedPrecondition(model: model, reason: error.reason))
        }
        do {
            return try await client.execute(request, timeout: timeout)
        } catch {
            throw unreachable(error, model: model)
        }
    }

    private func unreachable(_ error: any Error, model: String) -> Failure {
        if Task.isCancelled { return .lasting(.cancelled(model: model)) }
        return .passing(
            .failedPrecondition(
                model: model,
                reason: "the hub \(base) cannot be reached (\(error)); check its address and the network"
            )
        )
    }

    /// An address without its query, which contains a signature.
    private static func bare(_ address: String) -> Substring { address.prefix { $0 != "?" }.prefix(200) }

    func collect(
        _ response: HTTPClientResponse,
        model: String,
        upTo limit: Int = maximumInfo
    ) async throws(Failure) -> Data {
        do {
            let buffer = try await response.body.collect(upTo: limit)
            return Data(buffer.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw .lasting(.internalError(model: model, reason: "it is longer than \(limit) bytes"))
        } catch {
            throw unreachable(error, model: model)
        }
    }

    private struct ErrorBody: Decodable {
        struct Content: Decodable {
            var message: String
        }

        var error: Content
    }

    /// The meaning of a status other than success; the same as for Google's clients.
    func failure(_ response: HTTPClientResponse, body: Data, model: String) -> Failure {
        let status = Int(response.status.code)
        let retryAfter = RetryAfter.duration(response.headers.first(name: "retry-after"))
        let message = (try? JSONDecoder().decode(ErrorBody.self, from: body))?.error.message
        let reason = message.map { "status \(status), \($0)" } ?? "status \(status)"
        return switch status {
        case 400: .lasting(.invalidArgument(model: model, reason: reason))
        case 401, 403: .lasting(.permissionDenied(model: model, reason: reason))
        case 404: .lasting(.notFound(model: model, place: "the project \"\(configuration.projectID)\" of \(base)"))
        case 429: .passing(.resourceExhausted(model: model, reason: reason), retryAfter: retryAfter)
        case 500, 502, 503, 504: .passing(.internalError(model: model, reason: reason), retryAfter: retryAfter)
        default: .lasting(.internalError(model: model, reason: reason))
        }
    }
}
