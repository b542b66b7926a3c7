import ArgumentParser
import CommandLineSupport
import ModelHubProtocol
import ModelHubServer
import TextFormatting

/// `--expires`: the lifetime of a key or token.
struct Lifetime {
    /// The lifetime in the form of the API, such as `3600s`; `0s` for no end.
    let ttl: String

    init(_ argument: String) throws(CommandError) {
        if argument == "never" {
            ttl = "0s"
            return
        }
        let units: [Character: Int64] = ["d": 86_400, "h": 3600, "m": 60]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int64(argument.dropLast()),
            (1...1_000_000).contains(count)
        else { throw CommandError("Give a number with a unit, such as 30d, 12h or 90m, or `never`.") }
        ttl = "\(count * unit)s"
    }
}

/// The names of roles on the command line. The names of earlier versions are also accepted.
extension Role: ExpressibleByArgument {
    /// Creates a role from its name on the command line.
    public init?(argument: String) { self.init(name: argument) }
}

/// The keys and tokens of an owner, which two commands list and revoke alike.
struct KeyList {
    let connection: HubConnection
    /// The path of the list.
    let path: String

    /// Creates a key and returns it with its secret. Keys may share a name while one replaces the other; then a line on standard
    /// error says so.
    func create(_ input: KeyInput) async throws -> KeyResource {
        let now = "\(Timestamp.now)"
        let others = try await keys().filter {
            $0.name == input.name && $0.kind == input.kind && $0.revokeTime == nil
                && $0.expireTime.map { $0 > now } ?? true
        }
        let created = try await connection.resource(KeyResource.self, .post, path, json: input)
        if !others.isEmpty, input.kind != Credential.Kind.serviceAccount.rawValue {
            let ids = others.suffix(3).map { String($0.id.prefix(12)) }.joined(separator: ", ")
            StandardError.report(
                "note: \(others.count == 1 ? "Another valid key has" : "\(others.count) other valid keys have") the name \(input.name) (\(ids)); revoke those that are no longer used."
            )
        }
        return created
    }

    /// The keys, oldest first.
    func keys() async throws -> [KeyResource] { try await connection.list(KeyPage.self, at: path) }

    /// Revokes the key with an id that begins so.
    func revoke(_ id: String) async throws {
        try await connection.send(.delete, "\(path)/\(HubConnection.encoded(id))")
    }

    /// Prints keys as a table or as records.
    static func print(_ keys: [KeyResource], as format: ListFormat) throws {
        func day(_ time: String?) -> String { time.map { String($0.prefix(10)) } ?? "never" }
        try format.print(keys) {
            TextTable(
                columns: [
                    .text("ID"), .text("NAME"), .text("KIND"), .text("ROLE"), .text("CREATED"), .text("USED"),
                    .text("EXPIRES"), .text("REVOKED"),
                ],
                rows: keys.map {
                    [
                        String($0.id.prefix(12)), $0.name, $0.kind, $0.role, day($0.createTime), day($0.lastUseTime),
                        day($0.expireTime), $0.revokeTime.map { String($0.prefix(10)) } ?? "no",
                    ]
                }
            ).text
        }
    }
}
