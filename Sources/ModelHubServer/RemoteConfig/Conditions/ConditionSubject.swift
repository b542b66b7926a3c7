/// A property of an installation that terms test.
enum ConditionSubject: Sendable, Hashable {
    case os, appID, country, language, installationID
    case appVersion, appBuild
    case userProperty(String)
    case customSignal(String)

    /// Reads a property whose name has been read, with its key if it has one; nil if no property has the name.
    init?(_ name: String, _ scanner: inout ConditionScanner) throws(ExpressionFailure) {
        switch name {
        case "device.os": self = .os
        case "app.id": self = .appID
        case "device.country": self = .country
        case "device.language": self = .language
        case "firebaseInstallationId", "app.firebaseInstallationId": self = .installationID
        case "app.version": self = .appVersion
        case "app.build": self = .appBuild
        case "app.userProperty": self = .userProperty(try scanner.key())
        case "app.customSignal": self = .customSignal(try scanner.key())
        default: return nil
        }
    }

    /// The value of a client.
    func value(in client: ClientContext) -> String? {
        switch self {
        case .os: client.os
        case .appID: client.appID
        case .country: client.country
        case .language: client.language
        case .installationID: client.installationID
        case .appVersion: client.appVersion
        case .appBuild: client.appBuild
        case .userProperty(let key): client.userProperties[key]
        case .customSignal(let key): client.customSignals[key]
        }
    }

    /// Whether comparisons ignore case.
    var isFolded: Bool { self == .os || self == .country || self == .language }

    /// Whether the app chooses the property and its value, so that it may be a number.
    var hasKey: Bool {
        switch self {
        case .userProperty, .customSignal: true
        default: false
        }
    }

    /// Whether a comparison follows the property after a point.
    var hasMethods: Bool { hasKey || self == .appVersion || self == .appBuild }
}

extension ConditionSubject: CustomStringConvertible {
    var description: String {
        switch self {
        case .os: "device.os"
        case .appID: "app.id"
        case .country: "device.country"
        case .language: "device.language"
        case .installationID: "app.firebaseInstallationId"
        case .appVersion: "app.version"
        case .appBuild: "app.build"
        case .userProperty(let key): "app.userProperty[\(ConditionText.quoted(key))]"
        case .customSignal(let key): "app.customSignal[\(ConditionText.quoted(key))]"
        }
    }
}

extension ConditionScanner {
    /// Takes a key in brackets.
    mutating func key() throws(ExpressionFailure) -> String {
        try expect("[")
        let key = try string()
        try expect("]")
        return key
    }
}
