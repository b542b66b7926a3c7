/// A failure of PostgreSQL, or of the connection to it.
struct PostgresError: Error, CustomStringConvertible {
    /// The five characters of SQLSTATE (PostgreSQL's documentation, appendix A); nil if the connection failed.
    let state: String?
    /// The words of the server or of libpq.
    let message: String
    /// Whether no connection could be opened.
    var isUnreachable = false

    var description: String { "\(message)\(state.map { " (SQLSTATE \($0))" } ?? "")" }

    /// Whether the connection is of no further use.
    var isLostConnection: Bool {
        guard let state else { return true }
        // The server stops, or an administrator ended the connection.
        return ["57P01", "57P02", "57P03", "57P05", Self.stalePlan].contains(state) || state.hasPrefix("08")
    }

    /// A prepared statement is of no further use, because a hub of a later version added a column to its table.
    private static let stalePlan = "0A000"

    /// Whether another transaction was in the way, so that the same transaction may succeed now.
    var isConflict: Bool { state == "40001" || state == "40P01" }

    /// All connections are in use for a long time.
    static let busy = PostgresError(state: "55P03", message: "no connection to the database became free")

    /// The error for callers, with the words of the server or of libpq as its cause; nil for a mistake of the hub.
    var hubError: HubError? {
        var error = answer
        error?.cause = description
        return error
    }

    private var answer: HubError? {
        switch state {
        case nil, "57P01", "57P02", "57P03", "57P05":
            HubError(
                .unavailable,
                "The hub's database does not respond; try again in a few seconds.",
                retryAfter: .seconds(2)
            )
        case "40001", "40P01", "55P03", "57014":
            HubError(.unavailable, "The hub's database is busy; try again in a few seconds.", retryAfter: .seconds(2))
        case "53100", "53200", "53300", "53400", "25006":
            HubError(
                .unavailable,
                "The hub's database cannot accept changes now; ask the hub's operator to check its disk, memory and connections.",
                retryAfter: .seconds(30)
            )
        case "22021", "22P05":
            HubError(.invalidArgument, "A text contains a zero character, which the hub cannot store; remove it.")
        default: nil
        }
    }
}
