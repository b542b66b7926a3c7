/// A property, read as a version, compares to one of the versions: `app.version.>=(['2.1'])`, or
/// `version(app.customSignal['k']) >= '2.1'`.
struct VersionTerm: ConditionTerm {
    var subject: ConditionSubject
    var comparison: Comparison
    var versions: [SemanticVersion]

    static func read(_ start: ConditionStart, _ scanner: inout ConditionScanner) throws(ExpressionFailure) -> (
        any ConditionTerm
    )? {
        if start.name == "version" { return try readSignal(&scanner) }
        guard let subject = start.subject, subject.hasMethods, scanner.takes("."),
            let comparison = scanner.comparison()
        else { return nil }
        try scanner.expect("(")
        let place = scanner.place
        var versions: [SemanticVersion] = []
        for text in try scanner.strings() { versions.append(try scanner.version(text, at: place)) }
        try scanner.expect(")")
        return Self(subject: subject, comparison: comparison, versions: versions)
    }

    /// Reads `(app.customSignal['k']) >= '2.1'`.
    private static func readSignal(_ scanner: inout ConditionScanner) throws(ExpressionFailure) -> Self {
        try scanner.expect("(")
        let (name, start) = scanner.name()
        guard name == "app.customSignal" else { throw scanner.failure("expected app.customSignal", at: start) }
        let key = try scanner.key()
        try scanner.expect(")")
        guard let comparison = scanner.comparison() else { throw scanner.failure("expected a comparison") }
        let place = scanner.place
        let version = try scanner.version(try scanner.string(), at: place)
        return Self(subject: .customSignal(key), comparison: comparison, versions: [version])
    }

    var description: String {
        if case .customSignal = subject, versions.count == 1 {
            return "version(\(subject)) \(comparison.rawValue) \(ConditionText.quoted(versions[0].text))"
        }
        return "\(subject).\(comparison.rawValue)(\(ConditionText.list(versions.map(\.text))))"
    }

    var comparisonCount: Int { versions.count }

    func compiled(_ names: inout ConditionNames) -> CompiledTerm {
        let number = names.subjects.number(of: subject)
        return CompiledTerm(.version, nanoseconds: 50 + versions.count * 60) { [comparison, versions] state in
            guard let version = state.version(number) else { return false }
            return comparison == .notEqual
                ? !versions.contains(version) : versions.contains { comparison.holds(version, $0) }
        }
    }

    var serverCondition: ServerTemplate.Condition? {
        .signal(subject, "SEMANTIC_VERSION_\(comparison.serverName)", versions.map(\.text))
    }

    func show(in menus: inout ConditionMenus) -> Bool {
        guard subject == .appVersion, menus.comparison.isEmpty, versions.count == 1 else { return false }
        (menus.comparison, menus.version) = (comparison.rawValue, versions[0].text)
        return true
    }

    static func chosen(in menus: ConditionMenus) throws(HubError) -> [any ConditionTerm] {
        if menus.version.isEmpty, menus.comparison.isEmpty { return [] }
        guard let version = SemanticVersion(menus.version) else {
            throw HubError(
                .invalidArgument,
                "\"\(menus.version.prefix(60))\" is not a version; use one to five numbers with points, such as 2.1.0."
            )
        }
        let comparison = Comparison(rawValue: menus.comparison) ?? .greaterOrEqual
        return [Self(subject: .appVersion, comparison: comparison, versions: [version])]
    }
}

extension ConditionScanner {
    fileprivate func version(_ text: String, at place: Int) throws(ExpressionFailure) -> SemanticVersion {
        guard let version = SemanticVersion(text) else {
            throw failure("\"\(text.prefix(60))\" is not a version of one to five numbers", at: place)
        }
        return version
    }
}
