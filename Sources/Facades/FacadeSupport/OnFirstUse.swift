import SightlineLocks

/// A value that the first use makes, because the facades' factories must not fail or wait. If making it fails, the next use tries again.
final class OnFirstUse<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let make: @Sendable () throws -> Value

    /// Creates a place for a value.
    init(_ make: @escaping @Sendable () throws -> Value) {
        self.make = make
    }

    /// Uses the value; other callers wait meanwhile.
    func use<Result: Sendable>(_ body: (Value) throws -> Result) throws -> Result {
        try value.withLock { value in
            let made = try value ?? make()
            value = made
            return try body(made)
        }
    }
}
