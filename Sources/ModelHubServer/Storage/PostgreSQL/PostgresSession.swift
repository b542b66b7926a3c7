import CPostgres

/// An open connection to PostgreSQL, which a single ``PostgresConnection`` uses. Its calls wait for the server.
final class PostgresSession {
    /// Whether a statement of the current transaction failed, so that the server will not commit it.
    private(set) var hasFailed = false
    /// Whether the connection can only be closed.
    private(set) var isLost = false

    /// The projects whose changes the current transaction announces.
    private(set) var changedProjects: Set<String> = []

    let connection: OpaquePointer
    var statements = PreparedStatements()

    /// The time in which the server ends a statement, or a wait for a lock.
    private static let settings = """
        SET statement_timeout = 10000; SET lock_timeout = 8000; SET idle_in_transaction_session_timeout = 60000;
        SET standard_conforming_strings = on;
        """
    /// The time for the answer to a statement. The server ends statements earlier, unless the network is cut.
    static let timeout: Int32 = 12_000

    /// Connects.
    init(_ address: PostgresAddress) throws {
        if let reason = cpostgres_load() {
            throw HubError(
                .failedPrecondition,
                "\(String(cString: reason)), which a hub with PostgreSQL needs; install it with `apt-get install libpq5`."
            )
        }
        let settings = address.settings
        let opened = Self.withCStrings(settings.map(\.name)) { names in
            Self.withCStrings(settings.map(\.value)) { values in
                Self.withMessage { cpostgres_connect(names, values, $0) }
            }
        }
        do {
            connection = try opened.get()
        } catch {
            throw PostgresError(state: nil, message: address.redacted(error.message), isUnreachable: true)
        }
        try execute(Self.settings)
    }

    deinit { cpostgres_close(connection) }

    /// Executes statements without parameters, and ignores their results.
    ///
    /// - Parameter timeout: The time for the answer in milliseconds.
    func execute(_ script: String, timeout: Int32 = timeout) throws {
        let result = try answer { cpostgres_run_script(connection, script, timeout, $0) }
        cpostgres_free(result)
    }

    /// Begins a transaction with a script.
    func beginTransaction(_ script: String) throws {
        hasFailed = false
        changedProjects = []
        try execute(script)
    }

    func announceChange(of project: String) { changedProjects.insert(project) }

    /// The texts of notifications that arrive within a time; nil if the connection is lost.
    func notifications(within milliseconds: Int32) -> [String]? {
        guard cpostgres_await_notifications(connection, milliseconds) else {
            isLost = true
            return nil
        }
        var texts: [String] = []
        var text = [CChar](repeating: 0, count: 256)
        while cpostgres_next_notification(connection, &text, text.count) {
            texts.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return texts
    }

    /// The result of a call; an error if the connection was lost or the statement failed.
    func answer(_ call: (UnsafeMutablePointer<CChar>) -> OpaquePointer?) throws -> OpaquePointer {
        let result: OpaquePointer
        do {
            result = try Self.withMessage(call).get()
        } catch {
            (hasFailed, isLost) = (true, true)
            throw error
        }
        guard let state = cpostgres_error_state(result) else { return result }
        let error = PostgresError(
            state: String(cString: state),
            message: String(cString: cpostgres_error_message(result))
        )
        cpostgres_free(result)
        hasFailed = true
        if error.isLostConnection { isLost = true }
        throw error
    }

    /// Calls a function that returns nil and a message if the connection is lost.
    private static func withMessage(
        _ call: (UnsafeMutablePointer<CChar>) -> OpaquePointer?
    ) -> Result<OpaquePointer, PostgresError> {
        var message = [CChar](repeating: 0, count: Int(CPOSTGRES_MESSAGE_SIZE))
        if let pointer = call(&message) { return .success(pointer) }
        let text = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return .failure(PostgresError(state: nil, message: text))
    }

    /// Calls a body with C strings and a closing null pointer.
    private static func withCStrings<Value>(
        _ texts: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
    ) -> Value {
        var bytes: [CChar] = []
        var starts: [Int] = []
        for text in texts {
            starts.append(bytes.count)
            bytes.append(contentsOf: text.utf8CString)
        }
        return bytes.withUnsafeBufferPointer { bytes in
            let pointers = starts.map { start in bytes.baseAddress.map { $0 + start } } + [nil]
            return body(pointers)
        }
    }
}
