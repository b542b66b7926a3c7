import Foundation
import HTTPTypes
import SightlineTestSupport
import Testing

/// The description of the hub's HTTP API, as a hub serves it.
struct APIDescription: Sendable {
    /// An operation of the description.
    struct Operation: Sendable {
        /// The id of the operation.
        let id: String
        let method: HTTPRequest.Method
        /// The template of the path.
        let path: String
        /// The names and places of the parameters, such as `project in path`.
        let parameters: Set<String>
        /// The schemas of the request by content type; nil without a body.
        let requests: [String: String]?
        /// The schemas of the responses by status and content type.
        let responses: [String: [String: String]]
        /// The names of the security schemes and the roles that each of them needs, for each alternative.
        let security: [[String: [String]]]?
        let hasSummary: Bool

        /// Whether the path of a request follows the template.
        func matches(_ target: String) -> Bool {
            let parts = target.prefix { $0 != "?" }.split(separator: "/")
            let names = path.split(separator: "/")
            // The name of an object may have slashes.
            let isLong = names.last == "{object}"
            guard isLong ? parts.count >= names.count : parts.count == names.count else { return false }
            return zip(names, parts).allSatisfy { name, part in
                guard name.hasPrefix("{"), let end = name.firstIndex(of: "}") else { return name == part }
                let verb = name[name.index(after: end)...]
                return verb.isEmpty ? !part.contains(":") : part.hasSuffix(verb) && part.count > verb.count
            }
        }
    }

    let schema: JSONSchema
    let operations: [Operation]

    init(_ json: Data) throws {
        schema = try JSONSchema(json)
        let paths = try #require(schema.value(at: "#/paths") as? [String: [String: [String: Any]]])
        var operations: [Operation] = []
        for (path, methods) in paths {
            for (method, operation) in methods {
                operations.append(try Self.operation(operation, method: method, path: path, schema))
            }
        }
        self.operations = operations.sorted { ($0.path, $0.method.rawValue) < ($1.path, $1.method.rawValue) }
    }

    private static func operation(
        _ operation: [String: Any],
        method: String,
        path: String,
        _ schema: JSONSchema
    ) throws -> Operation {
        let place = "#/paths/\(escaped(path))/\(method)"
        /// The pointers to the schemas of an object with `content`.
        func contents(_ object: [String: Any]?, at pointer: String) -> [String: String] {
            guard let object else { return [:] }
            let pointer = object["$ref"] as? String ?? pointer
            let content = schema.resolved(object)["content"] as? [String: Any] ?? [:]
            let types = content.keys.map { ($0, "\(pointer)/content/\(escaped($0))/schema") }
            return Dictionary(uniqueKeysWithValues: types)
        }
        let parameters = (operation["parameters"] as? [[String: Any]] ?? []).map(schema.resolved)
        let responses = operation["responses"] as? [String: [String: Any]] ?? [:]
        let body = operation["requestBody"] as? [String: Any]
        return Operation(
            id: try #require(operation["operationId"] as? String, "\(method) \(path)"),
            method: try #require(HTTPRequest.Method(method.uppercased())),
            path: path,
            parameters: Set(parameters.map { "\($0["name"] ?? "") in \($0["in"] ?? "")" }),
            requests: body.map { contents($0, at: "\(place)/requestBody") },
            responses: Dictionary(
                uniqueKeysWithValues: responses.map { ($0, contents($1, at: "\(place)/responses/\($0)")) }
            ),
            security: operation["security"] as? [[String: [String]]],
            hasSummary: (operation["summary"] as? String)?.isEmpty == false
        )
    }

    private static func escaped(_ key: String) -> String {
        key.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    /// The operation of a request; nil if no operation or several have its method and path.
    func operation(_ method: HTTPRequest.Method, _ target: String) -> Operation? {
        let found = operations.filter { $0.method == method && $0.matches(target) }
        return found.count == 1 ? found.first : nil
    }

    /// The ways in which a response differs from the description.
    func problems(of reply: TestReply, to operation: Operation) throws -> [String] {
        let status = "\(reply.status)"
        guard let contents = operation.responses[status] ?? (reply.status >= 400 ? operation.responses["default"] : nil)
        else { return ["\(operation.id): the status \(status) is not described"] }
        return try problems(reply.body, reply.headers[.contentType], contents, "\(operation.id), status \(status)")
    }

    /// The ways in which the body of a request differs from the description.
    func problems(ofRequest body: Data?, _ contentType: String?, to operation: Operation) throws -> [String] {
        guard let body else { return [] }
        guard let contents = operation.requests else { return ["\(operation.id): no body is described"] }
        return try problems(body, contentType, contents, "\(operation.id), request")
    }

    private func problems(_ body: Data, _ type: String?, _ contents: [String: String], _ place: String) throws
        -> [String]
    {
        if body.isEmpty { return [] }
        guard let type = type?.split(separator: ";").first.map(String.init), let schema = contents[type] else {
            return ["\(place): the type \(type ?? "none") is not described"]
        }
        guard type == "application/json" else { return [] }
        return try self.schema.problems(body, ["$ref": schema]).map { "\(place): \($0)" }
    }
}
