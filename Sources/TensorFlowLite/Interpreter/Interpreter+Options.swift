extension Interpreter {
    /// Settings of an interpreter.
    public struct Options: Equatable, Hashable, Sendable {
        /// The maximum number of threads. With nil the runtime decides and uses a single thread.
        public var threadCount: Int?
        /// Exists so that existing code compiles. The XNNPACK kernels are always on, also for quantized models.
        public var isXNNPackEnabled = false

        /// Creates options with the default values.
        public init() {}
    }
}

/// The old name of ``Interpreter/Options``.
@available(*, deprecated, renamed: "Interpreter.Options")
public typealias InterpreterOptions = Interpreter.Options
