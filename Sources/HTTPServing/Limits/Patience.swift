import NIOCore

/// Runs work for a client for as long as the client waits, and at most for a certain time.
package struct Patience: Sendable {
    /// The reason why the work ended early.
    package enum End: Error, Sendable, Hashable {
        /// The time is over.
        case late
        /// The client closed its connection.
        case clientLeft
    }

    private enum Event<Value: Sendable>: Sendable {
        case value(Value)
        case end(End)
    }

    /// A closed connection is noticed within this time.
    private static let interval = Duration.milliseconds(200)

    private let limit: Duration
    private let connection: (any Channel)?

    /// - Parameters:
    ///   - limit: The longest time.
    ///   - connection: The client's connection; nil for a client without a connection.
    package init(limit: Duration, connection: (any Channel)?) {
        self.limit = limit
        self.connection = connection
    }

    /// Runs an operation, and cancels it at the end of the client's patience. The function returns when the operation has ended.
    ///
    /// - Throws: ``End``, and the errors of `body`.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Event<Value>.self) { group in
            group.addTask { .value(try await body()) }
            group.addTask { .end(try await end()) }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            switch first {
            case .value(let value): return value
            case .end(let end): throw end
            }
        }
    }

    private func end() async throws -> End {
        let end = ContinuousClock.now + limit
        while true {
            let rest = end - .now
            guard rest > .zero else { return .late }
            try await Task.sleep(for: min(rest, Self.interval))
            if connection?.isActive == false { return .clientLeft }
        }
    }
}
