import Foundation

/// What an app says of itself when it fetches its configuration.
struct ClientContext: Sendable, Hashable {
    var installationID: String?
    /// By which the installation shows that it registered, where it says so in the body.
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

    /// The platform, as app ids name it: `1:1234:ios:ab12` is an app for iOS.
    var os: String? {
        let parts = appID.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 4 && !parts[2].isEmpty ? parts[2].lowercased() : nil
    }

    /// How many properties and signals are taken; Firebase takes 25 and 100.
    private static let maximumCount = 100

    /// A client of which nothing is known but its id.
    init(installationID: String?) { self.installationID = installationID }

    /// Reads the body of a fetch: JSON, or what Firebase's iOS SDK takes for it.
    ///
    /// - Throws: `.invalidArgument` with the place where it ceases to be that.
    init(_ bytes: [UInt8]) throws(HubError) {
        let node: JSONNode
        do throws(JSONFailure) {
            node = try JSONNode.parse(bytes, .lenient)
        } catch {
            throw HubError(
                .invalidArgument,
                "The body is not JSON at \(TextPlace(bytes, offset: error.offset)): \(error.reason)."
            )
        }
        guard case .object(let members) = node.content else {
            throw HubError(.invalidArgument, "The body is \(node.kind), not an object.")
        }
        for member in members {
            let text = member.value.stringOrNumber.flatMap { $0.isEmpty ? nil : $0 }
            switch member.key {
            case "app_instance_id", "appInstanceId": installationID = text
            case "app_instance_id_token", "appInstanceIdToken": installationToken = text
            case "app_id", "appId": appID = text ?? ""
            case "country_code", "countryCode": country = text
            case "language_code", "languageCode": language = text
            case "app_version", "appVersion": appVersion = text
            case "app_build", "appBuild": appBuild = text
            case "package_name", "packageName": appName = text
            case "first_open_time", "firstOpenTime": firstOpen = text.flatMap(Self.timestamp)
            case "analytics_user_properties", "analyticsUserProperties":
                userProperties = try Self.values(member.value, member.key)
            case "custom_signals", "customSignals": customSignals = try Self.values(member.value, member.key)
            default: break
            }
        }
        guard installationID.map({ $0.utf8.count <= 256 }) ?? true else {
            throw HubError(.invalidArgument, "app_instance_id is longer than 256 bytes.")
        }
    }

    /// An object of texts and numbers; the iOS SDK may put it into a text.
    private static func values(_ node: JSONNode, _ key: String) throws(HubError) -> [String: String] {
        var node = node
        if case .string(let text) = node.content {
            guard let inner = try? JSONNode.parse(Array(text.utf8), .lenient) else { return [:] }
            node = inner
        }
        guard case .object(let members) = node.content else { return [:] }
        guard members.count <= maximumCount else {
            throw HubError(.invalidArgument, "\(key) has \(members.count) values, more than \(maximumCount).")
        }
        var values: [String: String] = [:]
        for member in members {
            switch member.value.content {
            case .bool(let value): values[member.key] = "\(value)"
            default: values[member.key] = member.value.stringOrNumber
            }
        }
        return values
    }

    /// Milliseconds since 1970, or RFC 3339.
    private static func timestamp(_ text: String) -> Timestamp? {
        if let milliseconds = Int64(text) { return Timestamp(milliseconds: milliseconds) }
        let date =
            (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            ?? (try? Date(text, strategy: .iso8601))
        guard let seconds = date?.timeIntervalSince1970, abs(seconds) < 1e12 else { return nil }
        return Timestamp(milliseconds: Int64(seconds * 1000))
    }
}
