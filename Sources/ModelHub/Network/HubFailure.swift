import DurableFiles
import ModelHubProtocol

/// The reason why a request to a hub, or the use of its response, failed.
package enum HubFailure: Error, Sendable, Hashable {
    /// The hub did not respond, or the connection ended.
    case unreachable(reason: String)
    /// The settings of this machine permit no request: the proxy, the trusted roots or the address.
    case unusable(reason: String)
    /// The hub answered with an error; the message is from its body.
    case refused(status: Int, message: String?, retryAfter: Duration?)
    /// The hub answered with something else than the protocol requires.
    case invalidReply(reason: String)
    /// The bytes of a file did not arrive as announced.
    case transfer(FileTransfer.Failure)
    /// The bytes that arrived are not the announced file.
    case wrongContent(reason: String)
    /// The owner of the model did not sign the hub's version.
    case untrusted(ManifestProblem)
    /// A file of this machine cannot be read or written.
    case file(DurableFileError)
    /// The caller canceled the request.
    case cancelled

    /// Whether the same request may succeed later.
    package var isTransient: Bool {
        switch self {
        case .unreachable: true
        case .refused(let status, _, _): ResponseHead.isTransient(status)
        case .transfer(let failure): failure.isTransient
        case .unusable, .invalidReply, .wrongContent, .untrusted, .file, .cancelled: false
        }
    }

    /// The delay that the hub asks for.
    package var retryAfter: Duration? {
        if case .refused(_, _, let delay) = self { delay } else { nil }
    }

    /// Runs an operation on files, whose errors become failures.
    static func storing<Result>(_ body: () throws(DurableFileError) -> Result) throws(HubFailure) -> Result {
        do throws(DurableFileError) { return try body() } catch { throw .file(error) }
    }

    /// The meaning of a status with which a hub, or a proxy before it, refuses a request.
    package enum Refusal: Sendable, Hashable {
        case invalid, denied, missing
        /// The hub limits the requests of this client.
        case limited
        /// The hub or the proxy cannot answer now, but may answer later.
        case unavailable
        /// A status that the protocol does not have.
        case other
    }

    /// The meaning of a status.
    package static func refusal(_ status: Int) -> Refusal {
        switch status {
        case 400: .invalid
        case 401, 403: .denied
        case 404: .missing
        case 429: .limited
        // A hub without room on its disk answers 507. 501 and 505 are those of a server of another kind.
        case 408, 500, 502, 503, 504, 507...599: .unavailable
        default: .other
        }
    }
}

extension HubFailure: CustomStringConvertible {
    /// The failure as the part of a sentence.
    package var description: String {
        switch self {
        case .unreachable(let reason), .unusable(let reason), .invalidReply(let reason), .wrongContent(let reason):
            reason
        case .refused(let status, let message, _): message.map { "status \(status), \($0)" } ?? "status \(status)"
        case .transfer(let failure): "\(failure)"
        case .untrusted(let problem): "\(problem)"
        case .file(let error): "\(error.path): \(error.reason)"
        case .cancelled: "the request was canceled"
        }
    }
}

extension Attempts {
    /// Waits before the next attempt; throws the failure if it is not temporary or no attempts remain.
    mutating func pause(after failure: HubFailure) async throws(HubFailure) {
        guard failure.isTransient, let pause = nextPause(retryAfter: failure.retryAfter) else { throw failure }
        do { try await Task.sleep(for: pause) } catch { throw .cancelled }
    }

    /// Repeats a request until it succeeds or no attempts remain.
    mutating func run<Value>(
        _ request: () async throws(HubFailure) -> Value
    ) async throws(HubFailure) -> Value {
        while true {
            do throws(HubFailure) {
                return try await request()
            } catch {
                try await pause(after: error)
            }
        }
    }
}
