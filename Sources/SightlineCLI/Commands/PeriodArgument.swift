import ArgumentParser

/// A length of time, such as `15m` or `1h`.
struct PeriodArgument: Sendable, Hashable {
    let period: Duration

    private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

    /// - Throws: `ValidationError`.
    init(_ text: String) throws {
        guard let unit = text.last.flatMap({ Self.units[$0] }), let number = Double(text.dropLast()),
            case let seconds = number * unit, (1...Self.longest).contains(seconds)
        else { throw ValidationError("A period is a number with a unit, for example 30s, 15m, 1h or 1d.") }
        period = .seconds(seconds)
    }

    /// Some thirty years, in seconds.
    private static let longest = 1e9
}
