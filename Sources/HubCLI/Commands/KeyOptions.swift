import ArgumentParser
import CommandLineSupport
import ModelHubProtocol
import ModelHubServer
import TextFormatting

/// `--expires`: the lifetime of a key or token.
struct Lifetime: ExpressibleByArgument {
    /// The lifetime in the form of the API, such as `3600s`; `0s` for no end.
    let ttl: String

    init?(argument: String) {
        if argument == "never" {
            ttl = "0s"
            return
        }
        let units: [Character: Int64] = ["d": 86_400, "h": 3600, "m": 60]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int64(argument.dropLast()),
            (1...1_000_000).contains(count)
        else { return nil }
        ttl = "\(count * unit)s"
    }
}

/// The names of roles on the command line. The names of earlier versions are accepted too.
extension Role: ExpressibleByArgument {
    /// Creates a role from its name on the command line.
    public init?(argument: String) { self.init(name: argument) }
}

/// The keys and tokens of an owner, which two commands list and revoke alike.
struct KeyList {
    let connection: HubConnection
    /// The path of the list.
    let path: String

    /// Creates a key and returns it with its secret.
    func create(_ input: KeyInput) async throws -> KeyResource {
        try await connection.resource(KeyResource.self, .post, path, json: input)
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
