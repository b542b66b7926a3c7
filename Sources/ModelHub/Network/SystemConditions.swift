#if canImport(Network)
    /// The state of the link according to the system: `NWPathMonitor` on Apple's systems, NetworkManager on Linux.
    public typealias SystemConditions = PathConditions
#else
    /// The state of the link according to the system: `NWPathMonitor` on Apple's systems, NetworkManager on Linux.
    public typealias SystemConditions = NetworkManagerConditions
#endif
