import HTTPServing
import HTTPTypes

/// Lets requests in that have the right to be answered.
struct AnswerGate: Sendable {
    private let token: Secret?
    private let guesses = GuessLimiter()

    /// - Parameter token: the token of the server; nil if everybody may ask.
    init(token: Secret?) { self.token = token }

    /// - Throws: 401 without the token, 403 for metrics from elsewhere, 429 for a client that guesses.
    func check(_ request: APIRequest, for access: AnswerAccess) throws(AnswerError) {
        switch access {
        case .everybody: return
        case .token: try checkToken(of: request)
        case .metrics:
            if token != nil, request.bearerToken != nil { return try checkToken(of: request) }
            guard request.client.isThisMachine, request.headers[.forwardedFor] == nil else {
                throw AnswerError(
                    .forbidden,
                    token == nil
                        ? "Only programs on the server's machine can read the metrics; start the server with --token-file to read them from others."
                        : "Only programs on the server's machine can read the metrics without the server's token."
                )
            }
        }
    }

    private func checkToken(of request: APIRequest) throws(AnswerError) {
        guard let token else { return }
        do throws(RequestError) { try guesses.check(request.client) } catch { throw AnswerError(error) }
        guard let sent = request.bearerToken else { throw .unauthorized }
        guard token.matches(sent) else {
            guesses.count(sent, from: request.client, request.logger)
            throw .unauthorized
        }
    }
}
