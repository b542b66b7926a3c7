import GRDB

/// Failures of SQLite that are not mistakes of the hub: requests succeed again when their cause is gone.
enum SQLiteFailure {
    /// Calls a body whose failures become errors for the hub's caller.
    static func translating<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as DatabaseError {
            throw hubError(for: error.resultCode) ?? error
        }
    }

    /// The error for callers; nil for a mistake of the hub.
    private static func hubError(for code: ResultCode) -> HubError? {
        switch code {
        case .SQLITE_FULL: .diskFull
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            HubError(.unavailable, "The hub's database is busy; try again in a few seconds.", retryAfter: .seconds(2))
        case .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM:
            HubError(
                .unavailable,
                "The hub's database cannot be read or written; ask the hub's operator to check its disk.",
                retryAfter: .seconds(30)
            )
        default: nil
        }
    }
}
