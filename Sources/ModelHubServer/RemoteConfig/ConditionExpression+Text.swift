extension ConditionExpression: CustomStringConvertible {
    /// The expression in the format of ``init(_:)``.
    package var description: String { terms.map(\.description).joined(separator: " && ") }
}

extension ConditionTerm: CustomStringConvertible {
    var description: String {
        switch self {
        case .constant(let value): "\(value)"
        case .percent(let seed, let range):
            "percent\(seed.isEmpty ? "" : "(\(Self.quoted(seed)))") \(range)"
        case .member(let subject, let values):
            switch subject {
            case .os where values.count == 1, .appID where values.count == 1:
                "\(subject) == \(Self.quoted(values[0]))"
            default: "\(subject) in \(Self.list(values))"
            }
        case .text(let subject, let comparison, let values):
            "\(subject).\(comparison.rawValue)(\(Self.list(values)))"
        case .version(.customSignal(let key), let comparison, let versions) where versions.count == 1:
            "version(\(ConditionSubject.customSignal(key))) \(comparison.rawValue) "
                + Self.quoted(versions[0].text)
        case .version(let subject, let comparison, let versions):
            "\(subject).\(comparison.rawValue)(\(Self.list(versions.map(\.text))))"
        case .number(let subject, let comparison, let value): "\(subject) \(comparison.rawValue) \(Self.number(value))"
        case .time(let subject, let comparison, let time):
            switch subject {
            case .now: "dateTime \(comparison.rawValue) dateTime(\(Self.list(time)))"
            case .firstOpen: "app.firstOpenTimestamp \(comparison.rawValue) (\(Self.list(time)))"
            }
        }
    }

    static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }

    private static func list(_ values: [String]) -> String {
        "[" + values.map(quoted).joined(separator: ", ") + "]"
    }

    private static func list(_ time: ConditionTime) -> String {
        quoted(time.text) + (time.zone.map { ", " + quoted($0) } ?? "")
    }

    /// A number without an exponent, which the language does not have. The digits are the fewest that give the same
    /// number when they are read again.
    static func number(_ value: Double) -> String {
        let text = "\(value)"
        let parts = text.split(separator: "e")
        guard parts.count == 2, let exponent = Int(parts[1]) else {
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
        let sign = value < 0 ? "-" : ""
        let mantissa = parts[0].drop { $0 == "-" }.split(separator: ".")
        let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
        let digits = mantissa[0] + fraction
        // The number of digits before the point.
        let place = mantissa[0].count + exponent
        if place <= 0 { return "\(sign)0.\(String(repeating: "0", count: -place))\(digits)" }
        if place >= digits.count { return sign + digits + String(repeating: "0", count: place - digits.count) }
        return "\(sign)\(digits.prefix(place)).\(digits.dropFirst(place))"
    }
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
        case .userProperty(let key): "app.userProperty[\(ConditionTerm.quoted(key))]"
        case .customSignal(let key): "app.customSignal[\(ConditionTerm.quoted(key))]"
        }
    }
}

extension PercentRange: CustomStringConvertible {
    var description: String {
        switch self {
        case .lessOrEqual(let bound): "<= \(Self.text(bound))"
        case .greater(let bound): "> \(Self.text(bound))"
        case .between(let lower, let upper): "between \(Self.text(lower)) and \(Self.text(upper))"
        }
    }

    /// Formats millionths of a percent as percent.
    static func text(_ microPercent: UInt32) -> String {
        let (whole, rest) = microPercent.quotientAndRemainder(dividingBy: 1_000_000)
        guard rest > 0 else { return "\(whole)" }
        var digits = "\(rest + 1_000_000)".dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }
}
