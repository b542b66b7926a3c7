import Foundation

/// The address of a PostgreSQL database: `postgres://user@host:port/database?sslmode=verify-full`.
///
/// libpq reads the whole address, so every parameter of libpq works. The password comes from the address, or better from
/// `PGPASSWORD` or a password file, which other users of the machine cannot see.
struct PostgresAddress: Sendable, CustomStringConvertible, CustomReflectable {
    /// The address, which may contain a password.
    private let url: String

    /// The user and the password as they are written; empty if the address has neither.
    private let credentials: Substring
    /// The hosts and their ports.
    private let hosts: Substring

    /// - Throws: `.invalidArgument` if the text is not such an address.
    init(_ text: String) throws(HubError) {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://"), !text.contains("\0") else {
            throw HubError(
                .invalidArgument,
                "The address of the database does not begin with postgres://; write it as postgres://user@host:5432/database."
            )
        }
        url = text
        // As libpq divides it: the first @ ends the password, and a password with another one would become part of a host.
        let authority = text.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }
        let end = authority.firstIndex(of: "@")
        credentials = end.map { authority[..<$0] } ?? ""
        hosts = authority[(end.map { authority.index(after: $0) } ?? authority.startIndex)...].prefix { $0 != "?" }
        let havePorts = hosts.split(separator: ",").allSatisfy { Self.hasValidPort($0) }
        guard !credentials.contains("?"), !hosts.contains("@"), havePorts else {
            throw HubError(
                .invalidArgument,
                "The address of the database cannot be read; write special characters of its user and password as codes such as %40 for @, or give the password in PGPASSWORD."
            )
        }
    }

    /// Whether the port of a host is a number, and so no part of a password.
    private static func hasValidPort(_ host: Substring) -> Bool {
        let rest = host.hasPrefix("[") ? host.drop { $0 != "]" } : host
        return rest.drop { $0 != ":" }.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// The hosts and the name of the database, without users, passwords and parameters.
    var description: String {
        "postgres://\(hosts)\(url[hosts.endIndex...].prefix { $0 != "?" })"
    }

    /// A mirror without the parts that may contain a password.
    var customMirror: Mirror { Mirror(self, children: ["address": description]) }

    /// A message of libpq or the server without the passwords of this address and of the environment.
    func redacted(_ message: String) -> String {
        var secrets = [String(credentials.drop { $0 != ":" }.dropFirst())]
        for parameter in url[hosts.endIndex...].drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased().hasSuffix("password") { secrets.append(String(parts[1])) }
        }
        secrets += secrets.compactMap(\.removingPercentEncoding)
        if let password = ProcessInfo.processInfo.environment["PGPASSWORD"] { secrets.append(password) }
        return secrets.filter { !$0.isEmpty }.reduce(message) { $0.replacing($1, with: "…") }
    }

    /// The settings of connections by libpq's names. Those in the address win over the first ones.
    var settings: [(name: String, value: String)] {
        [
            ("connect_timeout", "5"),
            // A connection whose network was cut ends within about ten seconds.
            ("keepalives", "1"), ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "8000"),
            ("application_name", "sightline-hub"),
            ("dbname", url),
            ("client_encoding", "UTF8"),
        ]
    }
}
