import Foundation
import ModelHubProtocol

/// An app's description of itself in a fetch request.
struct ClientContext: Sendable, Hashable {
    var installationID: String?
    /// The token that proves the registration of the installation, if the body contains it.
    var installationToken: String?
    var appID = ""
    var country: String?
    var language: String?
    var appVersion: String?
    var appBuild: String?
    var appName: String?
    var firstOpen: Timestamp?
    var userProperties: [String: String] = [:]
    var customSignals: [String: String] = [:]
    /// The version of the template that the app has, in a request for live updates; 0 for none.
    var templateVersion: Int64 = 0

    /// The platform in the app id: `1:1234:ios:ab12` is an app for iOS.
    var os: String? {
        let parts = appID.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 4 && !parts[2].isEmpty ? parts[2].lowercased() : nil
    }

    /// The limits of a fetch. Firebase's SDKs send at most 25 user properties of 36 characters and 100 custom signals
    /// of 500 characters. The hub allows the larger number for both.
    enum Limits {
        /// The maximum number of properties, and of signals.
        static let values = 100
        /// The longest key, in UTF-16 code units, which Firebase's SDKs count.
        static let keyLength = 250
        /// The longest text, in UTF-16 code units.
        static let textLength = 500
    }

    /// Creates a client with only an id.
    init(installationID: String?) { self.installationID = installationID }

    /// Reads the body of a fetch: JSON, or the JSON-like text of Firebase's iOS SDK.
    ///
    /// - Throws: `.invalidArgument` with the position of the first mistake.
    init(_ bytes: [UInt8]) throws(HubError) {
        let node = try JSONNode.document(bytes, called: "The body", .lenient)
        guard case .object(let members) = node.content else {
            throw HubError(.invalidArgument, "The body is \(node.kind), not an object.")
        }
        for member in members {
            func text() throws(HubError) -> String? {
                guard let text = member.value.stringOrNumber, !text.isEmpty else { return nil }
                return try Self.checked(text, "\(member.key) is")
            }
            switch member.key {
            case "app_instance_id", "appInstanceId": installationID = try text()
            case "app_instance_id_token", "appInstanceIdToken": installationToken = member.value.stringOrNumber
            case "app_id", "appId": appID = try text() ?? ""
            case "country_code", "countryCode": country = try text()
            case "language_code", "languageCode": language = try text()
            case "app_version", "appVersion": appVersion = try text()
            case "app_build", "appBuild": appBuild = try text()
            case "package_name", "packageName": appName = try text()
            case "first_open_time", "firstOpenTime": firstOpen = try text().flatMap(Self.timestamp)
            case "analytics_user_properties", "analyticsUserProperties":
                userProperties = try Self.values(member.value, member.key)
            case "custom_signals", "customSignals": customSignals = try Self.values(member.value, member.key)
            case "lastKnownVersionNumber": templateVersion = try text().flatMap { Int64($0) } ?? 0
            default: break
            }
        }
        guard installationID.map({ $0.utf8.count <= 256 }) ?? true else {
            throw HubError(.invalidArgument, "app_instance_id is longer than 256 bytes.")
        }
    }

    /// An object of texts and numbers; the iOS SDK may encode it as a text.
    private static func values(_ node: JSONNode, _ key: String) throws(HubError) -> [String: String] {
        var node = node
        if case .string(let text) = node.content {
            guard let inner = try? JSONNode.parse(Array(text.utf8), .lenient) else { return [:] }
            node = inner
        }
        guard case .object(let members) = node.content else { return [:] }
        guard members.count <= Limits.values else {
            throw HubError(.invalidArgument, "\(key) has \(members.count) values, more than \(Limits.values).")
        }
        var values: [String: String] = [:]
        for member in members {
            let name = try checked(member.key, upTo: Limits.keyLength, "A key of \(key) is")
            switch member.value.content {
            case .bool(let value): values[name] = "\(value)"
            default:
                guard let text = member.value.stringOrNumber else { continue }
                values[name] = try checked(text, "\(key) has a value of \"\(name.prefix(60))\" that is")
            }
        }
        return values
    }

    /// Returns the text, or throws an error if it is too long for many comparisons.
    private static func checked(
        _ text: String,
        upTo limit: Int = Limits.textLength,
        _ subject: @autoclosure () -> String
    ) throws(HubError) -> String {
        // A text never has more UTF-16 code units than bytes of UTF-8.
        guard text.utf8.count <= limit || text.utf16.count <= limit else {
            throw HubError(.invalidArgument, "\(subject()) longer than \(limit) characters.")
        }
        return text
    }

    /// Reads milliseconds since 1970, or RFC 3339.
    private static func timestamp(_ text: String) -> Timestamp? {
        if let milliseconds = Int64(text) { return Timestamp(milliseconds: milliseconds) }
        guard let seconds = WireTime.date(text)?.timeIntervalSince1970, abs(seconds) < 1e12 else { return nil }
        return Timestamp(milliseconds: Int64(seconds * 1000))
    }
}
