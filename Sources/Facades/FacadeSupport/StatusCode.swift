/// The codes of the errors that the facades give: the canonical ones of google.rpc.Code.
///
/// | code | meaning | of |
/// |--:|---|---|
/// | 1 | cancelled | a task that was cancelled; a download that was given up |
/// | 3 | invalid argument | a picture or a model that cannot be used, a manifest or labels that do not fit, an empty name |
/// | 5 | not found | a file that is not there or cannot be read; a model that no hub publishes |
/// | 7 | permission denied | an API key or an installation that the hub refuses |
/// | 8 | resource exhausted | a picture or model beyond the limits; no memory; a full disk; a hub that has had too many requests |
/// | 9 | failed precondition | a model that is not downloaded yet; a call on the main thread; no configured app; no runtime; a hub out of reach |
/// | 13 | internal | a model or the runtime that fails while it runs; an answer of the hub that makes no sense; a folder that cannot be written |
/// | 15 | data loss | a download that is not the file that the hub speaks of; a damaged built-in model |
public enum StatusCode: Int, Sendable {
    case cancelled = 1
    case invalidArgument = 3
    case notFound = 5
    case permissionDenied = 7
    case resourceExhausted = 8
    case failedPrecondition = 9
    case internalError = 13
    case dataLoss = 15
}
