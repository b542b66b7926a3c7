import AsyncHTTPClient
import Foundation
import HTTPServing
import NIOCore

/// Reads pictures from addresses in requests, as far as the operator allows their hosts.
///
/// Every redirect is checked like the first address.
struct PictureFetcher: Sendable {
    private let hosts: AllowedHosts
    private let maximumBytes: Int
    private let lookUps: NameLookUps
    /// The fetches of a client at a time.
    private let fetches = OwnerLimit(4, refusal: AnswerError.busy)

    private static let redirectLimit = 3
    private static let timeout = Duration.seconds(15)

    /// - Parameter lookUps: Looks up hosts. A name server that does not answer keeps the client's share there, also after the fetch has ended.
    init(hosts: AllowedHosts, maximumBytes: Int, lookUps: NameLookUps) {
        (self.hosts, self.maximumBytes, self.lookUps) = (hosts, maximumBytes, lookUps)
    }

    /// Reads the picture at an address.
    ///
    /// - Parameters:
    ///   - authorization: the field `Authorization` for the address itself; redirects get none.
    ///   - share: counts the picture's bytes.
    /// - Throws: ``AnswerError``: 403 if the host is not allowed, 400 if there is no picture, 413 if it is too large.
    func picture(
        at text: String,
        authorization: Secret? = nil,
        for client: AnswerClient,
        share: BodyMemory.Share
    ) async throws(AnswerError) -> Data {
        do {
            return try await fetches.run(as: client.owner) {
                try await Patience(limit: Self.timeout, connection: client.connection).run {
                    try await self.follow(text, authorization, share, for: client.owner)
                }
            }
        } catch let error as AnswerError {
            throw error
        } catch Patience.End.late {
            throw .invalid("The host of the picture's address does not answer in time; send the picture itself.")
        } catch is Patience.End {
            throw AnswerError(RequestError.interrupted)
        } catch {
            throw .invalid("The picture cannot be read from its address (\(Self.reason(error))); check the address.")
        }
    }

    private func follow(
        _ text: String,
        _ authorization: Secret?,
        _ share: BodyMemory.Share,
        for owner: String
    ) async throws -> Data {
        var (next, authorization) = (text, authorization)
        for _ in 0...Self.redirectLimit {
            let url = try Self.url(next)
            defer { authorization = nil }
            switch try await get(url, authorization, share, for: owner) {
            case .picture(let data): return data
            case .redirect(let location): next = URL(string: location, relativeTo: url)?.absoluteString ?? location
            }
        }
        throw AnswerError.invalid(
            "The picture's address redirects more than \(Self.redirectLimit) times; name the address of the picture itself."
        )
    }

    private static func url(_ text: String) throws(AnswerError) -> URL {
        guard text.utf8.count <= 4096, let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme), url.host() != nil, url.user() == nil
        else { throw .invalid("The address of the picture is not an http or https address; correct it.") }
        return url
    }

    private enum Answer {
        case picture(Data)
        case redirect(String)
    }

    private func get(
        _ url: URL,
        _ authorization: Secret?,
        _ share: BodyMemory.Share,
        for owner: String
    ) async throws -> Answer {
        let host = url.host(percentEncoded: false) ?? ""
        let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
        guard let right = hosts.right(of: host, port: port) else {
            throw AnswerError(
                .forbidden,
                hosts.isEmpty
                    ? "This server reads no pictures from addresses; send the picture itself, or start the server with --allow-url-host."
                    : "This server reads no pictures from \(host.prefix(80)); send the picture itself, or allow the host with --allow-url-host."
            )
        }
        do {
            return try await PinnedClient.with(host, right, for: owner, lookUps: lookUps) {
                try await Self.get(url, by: $0, authorization, maximumBytes: maximumBytes, share)
            }
        } catch NameLookUps.Failure.busy {
            throw AnswerError.busy
        } catch NameLookUps.Failure.late {
            throw AnswerError.invalid(
                "The name server of the host \(host.prefix(80)) does not answer in time; send the picture itself."
            )
        } catch PinnedClient.Refusal.unknownHost {
            throw AnswerError.invalid(
                "The host \(host.prefix(80)) of the picture's address is unknown; check the address."
            )
        } catch PinnedClient.Refusal.privateNetwork {
            throw AnswerError(
                .forbidden,
                "The host \(host.prefix(80)) is in a private network; name it in full with --allow-url-host to allow it."
            )
        }
    }

    private static func get(
        _ url: URL,
        by client: HTTPClient,
        _ authorization: Secret?,
        maximumBytes: Int,
        _ share: BodyMemory.Share
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url.absoluteString)
        // Some servers, such as Label Studio, refuse to choose among pictures alone.
        request.headers.add(name: "accept", value: "image/*, */*;q=0.5")
        if let authorization { request.headers.add(name: "authorization", value: authorization.text) }
        let response = try await client.execute(request, timeout: TimeAmount(timeout))
        if (300..<400).contains(response.status.code), let location = response.headers.first(name: "location") {
            return .redirect(location)
        }
        guard response.status == .ok else {
            throw AnswerError.invalid(
                "The server of the picture's address answered \(response.status.code); check the address."
            )
        }
        var data = Data()
        for try await piece in response.body {
            guard data.count + piece.readableBytes <= maximumBytes else {
                throw AnswerError(
                    .contentTooLarge,
                    "The picture at the address has more than \(maximumBytes) bytes, the server's limit; shrink it."
                )
            }
            try share.take(piece.readableBytes)
            data.append(contentsOf: piece.readableBytesView)
        }
        return .picture(data)
    }

    /// A reason without addresses of the network behind the server.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: error.shortDescription
        default: "the connection failed"
        }
    }
}
