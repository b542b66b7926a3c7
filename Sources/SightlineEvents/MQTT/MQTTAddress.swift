import Foundation

/// The address of a broker of MQTT with the beginning of all topics: `mqtt://user@host:port/prefix`.
///
/// `mqtts` stands for TLS. Without a port, it is 1883, or 8883 with TLS. Without a prefix, it is `sightline`. The query
/// `?version=5` chooses MQTT 5; without it, the version is 3.1.1, which every broker speaks.
public struct MQTTAddress: Sendable, Hashable {
    /// A version of the protocol.
    public enum Version: Sendable, Hashable {
        /// MQTT 3.1.1, which every broker speaks.
        case v3
        /// MQTT 5, in which a broker says that it refuses a topic.
        case v5
    }

    /// The host of the broker.
    public var host: String
    /// The port of the broker.
    public var port: Int
    /// Whether TLS protects the connection.
    public var isSecure: Bool
    /// The user, if any. An address never contains the password.
    public var user: String?
    /// The beginning of all topics, without a slash at its end.
    public var prefix: String
    /// The version of the protocol.
    public var version: Version

    /// The prefix of an address without one.
    public static let standardPrefix = "sightline"

    /// Reads an address.
    ///
    /// - Throws: `EventError.invalidAddress`, for example if the text contains a password, which other users of the machine could see
    ///   in the list of processes.
    public init(_ text: String) throws(EventError) {
        let shown = Self.withoutPassword(text)
        func invalid(_ reason: String) -> EventError { .invalidAddress(shown, reason: reason) }
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty else {
            throw invalid("it is not of the form mqtt://host/prefix")
        }
        switch parts.scheme?.lowercased() {
        case "mqtt": isSecure = false
        case "mqtts": isSecure = true
        default: throw invalid("it begins neither with mqtt:// nor with mqtts://")
        }
        guard parts.password == nil else {
            throw invalid("it contains a password, which belongs in a file or in the environment")
        }
        guard parts.port.map({ (1...65_535).contains($0) }) ?? true else { throw invalid("it has no such port") }
        guard parts.fragment == nil else { throw invalid("it contains the character #") }
        switch parts.query {
        case nil, "version=3": version = .v3
        case "version=5": version = .v5
        default: throw invalid("its query is neither version=3 nor version=5")
        }
        let path = parts.path.split(separator: "/", omittingEmptySubsequences: true).joined(separator: "/")
        guard
            !path.unicodeScalars.contains(where: {
                "+#".unicodeScalars.contains($0) || $0.properties.generalCategory == .control
            })
        else { throw invalid("its prefix contains +, # or a control character") }
        // An address in brackets is one of IPv6.
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        port = parts.port ?? (isSecure ? 8883 : 1883)
        user = parts.user
        prefix = path.isEmpty ? Self.standardPrefix : path
    }

    /// A text with a possible password made unreadable.
    private static func withoutPassword(_ text: String) -> String {
        guard let end = text.lastIndex(of: "@"), let start = text.range(of: "://")?.upperBound, start < end,
            let colon = text[start..<end].firstIndex(of: ":")
        else { return text }
        return text[...colon] + "…" + text[end...]
    }

    /// The topic of a camera, without a slash at its end. The characters `/`, `+`, `#` and control characters of its name become `_`.
    public func topic(ofCamera camera: String) -> String {
        var name = String.UnicodeScalarView()
        for scalar in camera.unicodeScalars {
            let isForbidden = "/+#".unicodeScalars.contains(scalar) || scalar.properties.generalCategory == .control
            name.append(isForbidden ? "_" : scalar)
        }
        return "\(prefix)/\(name.isEmpty ? "_" : String(name))"
    }
}

extension MQTTAddress: CustomStringConvertible {
    /// The address without the user, for example `mqtt://broker.local:1883/sightline`.
    public var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "mqtts" : "mqtt")://\(host):\(port)/\(prefix)"
    }
}
