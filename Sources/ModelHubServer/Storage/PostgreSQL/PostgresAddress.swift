import Foundation

/// The address of a PostgreSQL database: `postgres://user@host:port/database?sslmode=verify-full`.
///
/// libpq reads the whole address, so every parameter of libpq works. The password comes from the address, or better from
/// `PGPASSWORD` or a password file, which other users of the machine cannot see.
struct PostgresAddress: Sendable, CustomStringConvertible {
    /// The address, which may contain a password.
    private let url: String

    /// - Throws: `.invalidArgument` if the text is no such address.
    init(_ text: String) throws(HubError) {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://"), !text.contains("\0") else {
            throw HubError(
                .invalidArgument,
                "The address of the database does not begin with postgres://; write it as postgres://user@host:5432/database."
            )
        }
        url = text
    }

    /// The host and the name of the database, without users, passwords and parameters.
    var description: String {
        let place = url.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2)
        let host = place.first.map { $0.split(separator: "@", omittingEmptySubsequences: false).last ?? "" } ?? ""
        return "postgres://" + ([host] + place.dropFirst()).joined(separator: "/")
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
