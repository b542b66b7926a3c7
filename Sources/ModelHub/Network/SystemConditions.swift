#if canImport(Network)
    import Dispatch
    import Network
    import SightlineLocks

    /// The state of the link according to `NWPathMonitor` on Apple's systems.
    ///
    /// A link counts as metered if the system calls it expensive, as cellular links and personal hotspots, or constrained, as in Low
    /// Data Mode.
    public struct SystemConditions: NetworkConditions {
        private static let queue = DispatchQueue(label: "sightline.network-conditions")

        /// Creates conditions that ask the system.
        public init() {}

        /// Whether the current path is expensive or constrained.
        public func isMetered() async -> Bool {
            let monitor = NWPathMonitor()
            // The first report comes at once; later ones have no listener.
            return await withCheckedContinuation { continuation in
                let waiting = Mutex<CheckedContinuation<Bool, Never>?>(continuation)
                monitor.pathUpdateHandler = { path in
                    let listener = waiting.withLock { waiting in
                        defer { waiting = nil }
                        return waiting
                    }
                    listener?.resume(returning: path.isExpensive || path.isConstrained)
                    monitor.cancel()
                }
                monitor.start(queue: Self.queue)
            }
        }
    }
#else
    /// The state of the link where the system does not report it: no link counts as metered.
    public struct SystemConditions: NetworkConditions {
        /// Creates conditions without a metered link.
        public init() {}

        /// Returns false.
        public func isMetered() async -> Bool { false }
    }
#endif
