/// The verdicts on the files that were looked at last, so that none is looked at twice.
struct VerdictCache {
    private var verdicts: [BlobHash: ModelVerdict] = [:]
    private var byteCount = 0

    /// How many bytes of texts are remembered.
    private static let limit = 4 << 20
    /// What a verdict takes beside its text.
    private static let overhead = 256

    subscript(hash: BlobHash) -> ModelVerdict? { verdicts[hash] }

    /// Remembers a verdict, and forgets all others when they take too much memory.
    mutating func insert(_ verdict: ModelVerdict, on hash: BlobHash) {
        if let old = verdicts[hash] { byteCount -= old.byteCount + Self.overhead }
        let size = verdict.byteCount + Self.overhead
        if byteCount + size > Self.limit { (verdicts, byteCount) = ([:], 0) }
        verdicts[hash] = verdict
        byteCount += size
    }
}
