public import Foundation

/// A reason why events cannot leave.
public enum EventError: Error, Sendable, Hashable {
    /// A library that the transport needs cannot be used.
    case unavailable(reason: String, package: String)
    /// The text is not an address of the transport.
    case invalidAddress(String, reason: String)
    /// The file with a secret cannot be used.
    case invalidSecret(path: String, reason: String)
    /// The destination did not answer, or asks to try again later; the same events may be accepted then.
    ///
    /// - Parameters:
    ///   - retryAfter: the delay that the destination asks for, if any.
    case unreachable(destination: String, reason: String, retryAfter: Duration? = nil)
    /// The file cannot be written now, for example while the disk is full or its folder is missing.
    case unwritable(path: String, reason: String)
    /// The destination does not want these events; to send them again is of no use.
    ///
    /// - Parameters:
    ///   - mayAcceptFewer: whether the destination may accept a part of the events.
    case refused(destination: String, reason: String, mayAcceptFewer: Bool = false)
    /// The folder of the queue cannot be used.
    case queue(path: String, reason: String)
}

extension EventError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure, its place, and the next step.
    public var description: String {
        switch self {
        case .unavailable(let reason, let package):
            "Events cannot be sent, because \(reason); install the package \(package)."
        case .invalidAddress(let text, let reason):
            "\(text) is not a usable address: \(reason)."
        case .invalidSecret(let path, let reason):
            "The secret in \(path) cannot be used: \(reason)."
        case .unreachable(let destination, let reason, _):
            "\(destination) does not accept events now: \(reason); check the server and the network."
        case .unwritable(let path, let reason):
            "\(path) cannot be written now: \(reason); check that its folder exists and may be written, and that the disk has room."
        case .refused(let destination, let reason, _):
            "\(destination) refused events: \(reason); check the address and the receiver."
        case .queue(let path, let reason):
            "Events cannot be kept in \(path): \(reason); name another folder, or make room in it."
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }
}
