extension Interpreter {
    /// How an interpreter runs its model.
    public struct Options: Equatable, Hashable, Sendable {
        /// The most threads to use; nil leaves it to the runtime, which uses one.
        public var threadCount: Int?
        /// Kept so that existing code compiles. The XNNPACK kernels are always used, for quantised models too.
        public var isXNNPackEnabled = false

        /// Creates options with the default values.
        public init() {}
    }
}

/// The old name of ``Interpreter/Options``.
@available(*, deprecated, renamed: "Interpreter.Options")
public typealias InterpreterOptions = Interpreter.Options
