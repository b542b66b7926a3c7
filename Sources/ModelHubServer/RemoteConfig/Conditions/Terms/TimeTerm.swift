/// The time of the request, or of the app's first start, compares to a time:
/// `dateTime >= dateTime('2027-01-01T00:00:00', 'Europe/Berlin')`.
struct TimeTerm: ConditionTerm {
    enum Subject: Sendable, Hashable {
        /// The time of the request.
        case now
        /// The time when the app was first opened, as reported by the app.
        case firstOpen
    }

    var subject: Subject
    var comparison: Comparison
    var time: ConditionTime

    static func read(_ start: ConditionStart, _ scanner: inout ConditionScanner) throws(ExpressionFailure) -> (
        any ConditionTerm
    )? {
        let subject: Subject
        switch start.name {
        case "dateTime": subject = .now
        case "app.firstOpenTimestamp", "firstOpenTimestamp": subject = .firstOpen
        case "device.dateTime": throw scanner.failure("write dateTime instead of device.dateTime", at: start.place)
        default: return nil
        }
        guard let comparison = scanner.comparison() else { throw scanner.failure("expected a comparison") }
        let (name, place) = scanner.name()
        guard name == "dateTime" || (name.isEmpty && subject == .firstOpen) else {
            throw scanner.failure("dateTime('…') is expected here", at: place)
        }
        return Self(subject: subject, comparison: comparison, time: try readTime(&scanner))
    }

    /// Reads `('2027-01-01T00:00:00', 'Europe/Berlin')`.
    private static func readTime(_ scanner: inout ConditionScanner) throws(ExpressionFailure) -> ConditionTime {
        try scanner.expect("(")
        let place = scanner.place
        let text = try scanner.string()
        let zone = scanner.takes(",") ? try scanner.string() : nil
        try scanner.expect(")")
        guard let time = ConditionTime(text, zone: zone) else {
            throw scanner.failure(
                "\"\(text.prefix(60))\" is not a time such as 2027-01-01T00:00:00\(zone.map { " in a zone \"\($0.prefix(60))\"" } ?? "")",
                at: place
            )
        }
        return time
    }

    var description: String {
        let time = ([time.text] + [time.zone].compactMap(\.self)).map(ConditionText.quoted).joined(separator: ", ")
        return switch subject {
        case .now: "dateTime \(comparison.rawValue) dateTime(\(time))"
        case .firstOpen: "app.firstOpenTimestamp \(comparison.rawValue) (\(time))"
        }
    }

    func compiled(_ names: inout ConditionNames) -> CompiledTerm {
        CompiledTerm(.time, nanoseconds: 20) { [subject, comparison, moment = time.moment] state in
            let time = subject == .now ? state.now : state.client.firstOpen
            return time.map { comparison.holds($0, moment) } ?? false
        }
    }
}
