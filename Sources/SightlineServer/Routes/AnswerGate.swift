import HTTPServing
import HTTPTypes

/// Lets requests in that have the right to be answered.
struct AnswerGate: Sendable {
    private let token: Secret?
    private let guesses = GuessLimiter()

    /// - Parameter token: the token of the server; nil if everybody may ask.
    init(token: Secret?) { self.token = token }

    /// Whether requests need a token.
    var isClosed: Bool { token != nil }

    /// - Throws: 401 without the token, 403 for metrics from elsewhere, 429 for a client that guesses.
    func check(_ request: APIRequest, for access: AnswerAccess) throws(AnswerError) {
        switch access {
        case .everybody: return
        case .token: try check(request.bearerToken, from: request)
        case .metrics:
            if token != nil, request.bearerToken != nil { return try check(request.bearerToken, from: request) }
            guard request.isFromThisMachine else {
                throw AnswerError(
                    .forbidden,
                    token == nil
                        ? "Only programs on the server's machine can read the metrics; start the server with --token-file to read them from others."
                        : "Only programs on the server's machine can read the metrics without the server's token."
                )
            }
        }
    }

    /// Checks a token that a request has, in its header or elsewhere. The right token is accepted from every sender, or others at the
    /// same address, sent before.
    ///
    /// - Throws: 401 without the server's token, 429 for a client that guesses.
    func check(_ sent: String?, from request: APIRequest) throws(AnswerError) {
        guard let token else { return }
        guard let sent else { throw .unauthorized }
        guard !token.matches(sent) else { return }
        do throws(RequestError) { try guesses.count(sent, of: request) } catch { throw AnswerError(error) }
        throw .unauthorized
    }
}
