import HTTPServing
import Hummingbird
import Logging
import ModelHubProtocol

extension HTTPFields {
    /// An ETag in the form that Google's clients compare: without the quotes of RFC 9110.
    ///
    /// nginx removes such an ETag from a response that it compresses. It does not compress a response with a content
    /// encoding.
    static func unquoted(etag: String) -> HTTPFields { [.eTag: etag, .contentEncoding: "identity"] }
}

extension HubError {
    /// The error for the client after a failure. Failures of the hub are logged.
    static func answer(to error: any Error, _ logger: Logger, _ failures: FailureLog) -> HubError {
        if let error = error as? HubError {
            if error.httpStatus >= 500 { logger.error("failed", metadata: ["reason": "\(error.message)"]) }
            failures.note(error, logger)
            return error
        }
        guard let refusal = RequestError(error) else {
            logger.error("failed", metadata: ["reason": "\(error)"])
            return HubError(.internal, "The hub failed; see its log.")
        }
        logger.debug("refused", metadata: ["reason": "\(error)"])
        return HubError(refusal)
    }

    /// A refused request in the words of Google's services, where they have some.
    init(_ refusal: RequestError) {
        switch refusal {
        case .malformed: self = .invalidArgument
        case .unknownAddress: self = .nothingHere
        case .invalidJSON:
            self.init(
                .invalidArgument,
                "The body is not the JSON that this method expects; /openapi.json describes it."
            )
        default:
            let code: RPCCode =
                switch refusal.status {
                case .requestTimeout: .deadlineExceeded
                case .tooManyRequests: .resourceExhausted
                case .serviceUnavailable: .unavailable
                case .forbidden: .permissionDenied
                default: .invalidArgument
                }
            self.init(code, "\(refusal)", httpStatus: refusal.status.code, retryAfter: refusal.retryAfter)
        }
    }

    /// The error for unknown addresses.
    static let nothingHere = HubError(
        .notFound,
        "There is nothing at this address; /openapi.json describes the hub's API."
    )

    /// Whether the connection closes after the response, because the rest of an oversized body may be on its way.
    var endsConnection: Bool { HTTPResponse.Status(code: httpStatus).endsConnection }

    /// The error as a response. The connection then closes if more of a body may be on its way.
    var response: Response {
        var headers = HTTPFields()
        if let retryAfter { headers[.retryAfter] = "\(retryAfter.wholeSeconds)" }
        if let allowedMethods { headers[.allow] = allowedMethods }
        if code == .unauthenticated { headers[.wwwAuthenticate] = "Bearer" }
        if endsConnection { headers[.connection] = "close" }
        let text = configCode.map { "[\($0)]: \(message)" } ?? message
        let body = ErrorBody(code: httpStatus, message: text, status: code.name)
        return .json(text: body.json, status: HTTPResponse.Status(code: httpStatus), headers: headers)
    }
}

/// An object without fields: `{}`.
struct EmptyObject: Encodable {}
