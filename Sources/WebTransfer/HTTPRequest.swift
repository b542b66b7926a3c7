import Foundation

/// A request, to be sent by ``HTTPTransfer``.
package struct HTTPRequest: Sendable {
    /// The address, with http or https.
    package var address: String
    /// Whether the address is https.
    package var isSecure: Bool
    /// Whether the address belongs to this machine, so that the request passes by proxies.
    package var isLocal: Bool
    /// Header lines to add.
    package var headers: [String]
    /// The body of a POST request; nil for a GET request.
    package var body: [UInt8]?
    /// The time for the whole exchange; nil for no limit but that a server must send something every 30 seconds.
    package var timeout: Duration?

    /// Creates a request.
    package init(
        _ address: String,
        isSecure: Bool,
        isLocal: Bool,
        headers: [String] = [],
        body: [UInt8]? = nil,
        timeout: Duration? = nil
    ) {
        self.address = address
        self.isSecure = isSecure
        self.isLocal = isLocal
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }

    /// Whether a host is this machine.
    package static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(host.lowercased()) { return true }
        // Exactly four numbers, so that 127.0.0.1.example.com is not accepted.
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers.allSatisfy { $0 != nil } && numbers.first == 127
    }
}
