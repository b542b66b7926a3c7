import Foundation
import HTTPTypes
import Hummingbird
import ModelHub
import ModelHubProtocol
import ModelHubServer
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

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
        var headers = HTTPFields()
        headers[.contentType] = contentType
        let reply = try await exchange(method, target, headers: headers, body: body)
        return try Self.checked(reply.body, status: reply.status)
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

    /// The resource in a response.
    ///
    /// - Throws: ``CommandError`` if the response does not come from a hub.
    static func decoded<Resource: Decodable>(_ type: Resource.Type, from data: Data) throws -> Resource {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw CommandError(
                "The response does not come from a hub of this version; check the address of the hub, and its version."
            )
        }
    }

    static func checked(_ data: Data, status: Int) throws -> Data {
        guard !(200..<300).contains(status) else { return data }
        let isTransient = HubFailure.refused(status: status, message: nil, retryAfter: nil).isTransient
        if let message = ErrorBody.message(in: data) {
            // The code of Remote Config at the beginning is for Google's SDKs.
            throw CommandError(message.replacing(/^\[[A-Z_]+\]:\s/, with: ""), isTransient: isTransient)
        }
        let advice = HubFailure.refusal(status) == .unavailable ? "try again later" : "check its address"
        throw CommandError("The hub responded with status \(status); \(advice).", isTransient: isTransient)
    }
}

/// A hub that is reached over the network, with the client that apps use.
struct RemoteHub: Sendable {
    let transport: HubTransport
    /// The project where a path names none.
    private let project: String?

    /// The longest time until a response, which includes the validation of a model.
    private static let idleTimeout = Duration.seconds(600)
    private static let maximumReply = 64 << 20

    /// - Parameter roots: a PEM file of certificates to trust in addition to the system's.
    init(address: String, token: String, project: String?, trusting roots: URL?) throws {
        guard let url = URL(string: address), let scheme = url.scheme, ["http", "https"].contains(scheme),
            url.host != nil, url.user == nil
        else {
            throw CommandError(
                "\"\(AddressText.withoutPassword(address))\" is not the address of a hub; give an address such as https://models.example.org."
            )
        }
        self.project = project
        transport = HubTransport(hub: url, credentials: .token(token), trusting: roots, idleTimeout: Self.idleTimeout)
    }

    func exchange(
        _ method: HTTPRequest.Method,
        _ target: String,
        headers: HTTPFields,
        body: Data?
    ) async throws -> HubConnection.Exchange {
        var given: HeaderFields = [:]
        if let project { given.add(name: HubHeader.userProject, value: project) }
        for field in headers { given.add(name: field.name.rawName, value: field.value) }
        do throws(HubFailure) {
            let reply = try await transport.send(
                HubMethod(method.rawValue),
                target,
                headers: given,
                body: body,
                upTo: Self.maximumReply
            )
            var fields = HTTPFields()
            for (name, value) in reply.headers.list {
                if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
            }
            return HubConnection.Exchange(status: reply.status, headers: fields, body: reply.body)
        } catch {
            throw CommandError(error, of: transport.base)
        }
    }
}

extension CommandError {
    /// The failure of a request to an address.
    init(_ failure: HubFailure, of address: String) {
        self.init(Self.sentence(failure, of: address), isTransient: failure.isTransient)
    }

    private static func sentence(_ failure: HubFailure, of address: String) -> String {
        switch failure {
        case .unreachable(let reason): "\(reason.prefix(1).uppercased())\(reason.dropFirst())."
        case .unusable(let reason): "\(URL(string: address)?.host() ?? address) cannot be reached: \(reason)."
        case .refused(_, let message?, _): message
        case .refused(let status, nil, _) where HubFailure.refusal(status) == .unavailable:
            "\(address) does not respond at the moment (status \(status)); try again later."
        case .file(let error), .transfer(.file(let error)): error.description
        default: "The response of \(address) cannot be used: \(failure); check the address."
        }
    }
}
