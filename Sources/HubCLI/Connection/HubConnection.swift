import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import ModelHub
import ModelHubServer
import NIOCore
import NIOFoundationCompat

/// The API of a hub, in a folder of this machine or over the network.
struct HubConnection: Sendable {
    enum Transport: Sendable {
        case local(InProcessHub)
        case remote(RemoteHub)
    }

    /// The project's name in paths.
    let project: String
    let transport: Transport

    /// Sends a request and returns the body of the response.
    ///
    /// - Throws: ``CommandError`` with the hub's message if it refuses.
    @discardableResult
    func send(_ method: HTTPRequest.Method, _ target: String, json: (some Encodable)? = String?.none) async throws
        -> Data
    {
        let body = try json.map { try JSONEncoder().encode($0) }
        return try await send(method, target, contentType: body == nil ? nil : "application/json", body: body)
    }

    /// Sends a request with a body of any content type and returns the body of the response.
    @discardableResult
    func send(_ method: HTTPRequest.Method, _ target: String, contentType: String?, body: Data?) async throws -> Data {
        switch transport {
        case .local(let hub):
            let buffer = body.map { ByteBuffer(data: $0) } ?? ByteBuffer()
            let reply = try await hub.send(method, target, contentType: contentType, body: RequestBody(buffer: buffer))
            return try Self.checked(Data(reply.body.readableBytesView), status: reply.status)
        case .remote(let hub):
            let (status, data) = try await hub.send(method, target, contentType: contentType, body: body)
            return try Self.checked(data, status: status)
        }
    }

    /// A response with any status.
    struct Exchange {
        var status: Int
        var headers: HTTPFields
        var body: Data
    }

    /// Sends a request with header fields and returns the response with any status.
    func exchange(
        _ method: HTTPRequest.Method,
        _ target: String,
        headers: HTTPFields = HTTPFields(),
        body: Data? = nil
    ) async throws -> Exchange {
        switch transport {
        case .local(let hub):
            let buffer = body.map { ByteBuffer(data: $0) } ?? ByteBuffer()
            let reply = try await hub.send(method, target, headers: headers, body: RequestBody(buffer: buffer))
            let data = Data(reply.body.readableBytesView)
            return Exchange(status: reply.status, headers: reply.headers, body: data)
        case .remote(let hub): return try await hub.exchange(method, target, headers: headers, body: body)
        }
    }

    /// Downloads the file at an address of the hub.
    func fetch(_ address: String, to url: URL) async throws {
        guard FileManager.default.createFile(atPath: url.path, contents: nil),
            let file = try? FileHandle(forWritingTo: url)
        else {
            throw CommandError("\(url.path) cannot be written; check the folder and the disk.")
        }
        defer { try? file.close() }
        switch transport {
        case .local(let hub):
            let target = String(address.dropFirst(InProcessHub.base.count))
            let reply = try await hub.send(.get, target, writingTo: file)
            _ = try Self.checked(Data(reply.body.readableBytesView), status: reply.status)
        case .remote(let hub):
            let (status, data) = try await hub.fetch(address, to: file)
            _ = try Self.checked(data, status: status)
        }
        try file.synchronize()
    }

    private struct ErrorBody: Decodable {
        struct Content: Decodable {
            var message: String
        }

        var error: Content
    }

    static func checked(_ data: Data, status: Int) throws -> Data {
        guard !(200..<300).contains(status) else { return data }
        if let body = try? JSONDecoder().decode(ErrorBody.self, from: data) { throw CommandError(body.error.message) }
        throw CommandError("The hub responded with status \(status); check its address.")
    }
}

/// A hub that is reached over the network.
struct RemoteHub: Sendable {
    private let base: String
    private let token: String
    private let roots: URL?

    /// The longest time until a response, which includes the validation of a model.
    private static let timeout = TimeAmount.minutes(10)
    private static let maximumReply = 64 << 20

    /// - Parameter roots: a PEM file of certificates to trust in addition to the system's.
    init(address: String, token: String, trusting roots: URL?) throws {
        guard let url = URL(string: address), let scheme = url.scheme, ["http", "https"].contains(scheme),
            url.host != nil
        else {
            throw CommandError(
                "\"\(address)\" is not the address of a hub; give an address such as https://models.example.org."
            )
        }
        base = address.hasSuffix("/") ? String(address.dropLast()) : address
        self.token = token
        self.roots = roots
    }

    func send(_ method: HTTPRequest.Method, _ target: String, contentType: String?, body: Data?) async throws -> (
        Int, Data
    ) {
        var headers = HTTPFields()
        headers[.contentType] = contentType
        let reply = try await exchange(method, target, headers: headers, body: body)
        return (reply.status, reply.body)
    }

    func exchange(
        _ method: HTTPRequest.Method,
        _ target: String,
        headers: HTTPFields,
        body: Data?
    ) async throws -> HubConnection.Exchange {
        var request = HTTPClientRequest(url: base + target)
        request.method = .init(rawValue: method.rawValue)
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        for field in headers { request.headers.add(name: field.name.rawName, value: field.value) }
        if let body { request.body = .bytes(body) }
        let response = try await execute(request)
        let buffer = try await response.body.collect(upTo: Self.maximumReply)
        var fields = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return HubConnection.Exchange(
            status: Int(response.status.code),
            headers: fields,
            body: Data(buffer.readableBytesView)
        )
    }

    func fetch(_ address: String, to file: FileHandle) async throws -> (Int, Data) {
        let response = try await execute(HTTPClientRequest(url: address))
        guard response.status.code == 200 else {
            let buffer = try await response.body.collect(upTo: Self.maximumReply)
            return (Int(response.status.code), Data(buffer.readableBytesView))
        }
        for try await piece in response.body { try file.write(contentsOf: Data(piece.readableBytesView)) }
        return (200, Data())
    }

    private func execute(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        do {
            return try await HTTPClient.execute(request, trusting: roots, timeout: Self.timeout)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError("The hub \(base) cannot be reached (\(error)); check its address and the network.")
        }
    }
}

extension HTTPClient {
    /// Sends a request as apps do, through the proxy of the environment.
    static func execute(
        _ request: HTTPClientRequest,
        trusting roots: URL? = nil,
        timeout: TimeAmount
    ) async throws -> HTTPClientResponse {
        guard let url = URL(string: request.url) else {
            throw CommandError("\"\(request.url)\" is not a valid address; correct it.")
        }
        let client: HTTPClient
        do {
            client = try HTTPClients.client(for: url, trusting: roots, patience: timeout)
        } catch {
            throw CommandError("\(url.host() ?? request.url) cannot be reached: \(error.reason).")
        }
        return try await client.execute(request, timeout: timeout)
    }
}
