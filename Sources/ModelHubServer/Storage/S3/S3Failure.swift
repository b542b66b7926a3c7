import ModelHubProtocol

/// A reason why a request to S3-compatible storage failed.
enum S3Failure: Error, Sendable, Hashable {
    /// The server did not respond, or the connection ended or was too slow.
    case unreachable(reason: String)
    /// The server answered with an error; the code is from its body.
    case refused(status: Int, code: String?)
    /// The server answered with something else than the protocol requires.
    case invalidReply(reason: String)

    /// Whether the same request may succeed later.
    var isTransient: Bool {
        switch self {
        case .unreachable, .invalidReply: true
        case .refused(_, "RequestTimeout"), .refused(_, "SlowDown"): true
        case .refused(let status, _): ResponseHead.isTransient(status)
        }
    }

    /// Whether the key does not exist.
    var isMissingKey: Bool {
        if case .refused(404, let code) = self { code == nil || code == "NoSuchKey" } else { false }
    }

    /// The error for the hub's caller, which names the bucket and the next step.
    func error(for location: S3Location) -> HubError {
        let (reason, step) = explanation
        return HubError(
            .unavailable,
            "The hub's storage failed in the bucket \(location.bucket) (\(reason)); \(step).",
            retryAfter: .seconds(isTransient ? 2 : 30)
        )
    }

    private var explanation: (reason: String, step: String) {
        switch self {
        case .unreachable(let reason): (reason, "try again, or check the endpoint and the network of the hub")
        case .invalidReply(let reason): (reason, "check that the endpoint is a server for S3")
        case .refused(let status, let code):
            (
                code.map { "status \(status), \($0)" } ?? "status \(status)",
                Self.step(status, code)
            )
        }
    }

    private static func step(_ status: Int, _ code: String?) -> String {
        switch (status, code) {
        case (_, "NoSuchBucket"): "create the bucket"
        case (_, "RequestTimeTooSkewed"): "set the clock of the hub's machine"
        case (301, _), (307, _), (_, "AuthorizationHeaderMalformed"): "add the bucket's region with ?region="
        case (401, _), (403, _):
            "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the hub, and the rights that they have in the bucket"
        case (507, _): "make room in the storage"
        case _ where ResponseHead.isTransient(status): "try again"
        default: "see the log of the storage"
        }
    }
}
