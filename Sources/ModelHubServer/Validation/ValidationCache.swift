/// The results for recently validated files, so that no file is validated twice.
struct ValidationCache {
    private var results: [BlobHash: ModelValidation] = [:]
    private var byteCount = 0

    /// The maximum size of the cached texts in bytes.
    private static let limit = 4 << 20
    /// The size of a result in addition to its text.
    private static let overhead = 256

    subscript(hash: BlobHash) -> ModelValidation? { results[hash] }

    /// Adds a result, and removes all others if they take too much memory.
    mutating func insert(_ result: ModelValidation, on hash: BlobHash) {
        if let old = results[hash] { byteCount -= old.byteCount + Self.overhead }
        let size = result.byteCount + Self.overhead
        if byteCount + size > Self.limit { (results, byteCount) = ([:], 0) }
        results[hash] = result
        byteCount += size
    }
}
