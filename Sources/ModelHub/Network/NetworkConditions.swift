/// Reports whether the link to the network is metered.
public protocol NetworkConditions: Sendable {
    /// Whether the user pays for the link by volume, as for a cellular link; false if this is unknown.
    func isMetered() async -> Bool
}
