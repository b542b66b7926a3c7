/// The error codes of the facades: the canonical codes of google.rpc.Code.
///
/// | code | meaning | cause |
/// |--:|---|---|
/// | 1 | canceled | a canceled task or download |
/// | 3 | invalid argument | a picture or a model that cannot be used; a manifest or labels that do not fit; an empty name |
/// | 5 | not found | a file that is missing or unreadable; a model that the hub does not publish |
/// | 7 | permission denied | an API key or an installation that the hub rejects |
/// | 8 | resource exhausted | a picture or model beyond the limits; no memory; a full disk; too many requests to a hub |
/// | 9 | failed precondition | a model that is not downloaded yet; a call on the main thread; no configured app; no runtime; an unreachable hub |
/// | 13 | internal | a model or the runtime that fails while it runs; an invalid response of the hub; a folder that is not writable |
/// | 15 | data loss | a download that differs from the hub's description; a damaged built-in model |
public enum StatusCode: Int, Sendable {
    case cancelled = 1
    case invalidArgument = 3
    case notFound = 5
    case permissionDenied = 7
    case resourceExhausted = 8
    case failedPrecondition = 9
    case internalError = 13
    case unavailable = 14
    case dataLoss = 15
}
