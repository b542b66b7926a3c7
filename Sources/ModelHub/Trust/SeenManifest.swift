import ModelHubProtocol

/// The newest manifests of a model that this folder of models has seen, as they are stored.
///
/// The numbers are kept by key: if the owner takes the trust from a stolen key, the high numbers that the thief signed no longer
/// count, and manifests of other keys are accepted again.
struct SeenManifest: Codable, Sendable, Hashable {
    /// The number of keys whose numbers are kept.
    private static let maximumKeys = 16

    /// The highest number by the id of the key.
    private(set) var serials: [String: Int64] = [:]
    /// The SHA-256 of the file of the newest manifest.
    private(set) var hash: String?
    /// The id of its key.
    private(set) var key: String?
    /// The end of its validity, in seconds since 1970.
    private(set) var expires: Int64?

    /// The highest number of manifests by some keys; nil if none was seen.
    func highest(of keys: [TrustedKey]) -> Int64? { keys.compactMap { serials[$0.id] }.max() }

    /// Notes an accepted manifest.
    ///
    /// - Parameter keys: The keys that the app trusts now. The numbers of others are kept while there is room.
    mutating func note(_ manifest: ModelManifest, _ keys: [TrustedKey]) {
        serials[manifest.key] = max(manifest.serial, serials[manifest.key] ?? 0)
        (hash, key, expires) = (manifest.hash, manifest.key, manifest.expires)
        let trusted = Set(keys.map(\.id))
        for id in serials.keys.sorted() where serials.count > Self.maximumKeys && !trusted.contains(id) {
            serials[id] = nil
        }
    }
}
