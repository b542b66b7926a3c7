/// The platform, the app or the installation is one of the values: `device.os == 'ios'`, `app.id in ['1:1:ios:a']`.
struct MemberTerm: ConditionTerm {
    /// ``ConditionSubject/os``, ``ConditionSubject/appID`` or ``ConditionSubject/installationID``.
    var subject: ConditionSubject
    var values: [String]

    static func read(_ start: ConditionStart, _ scanner: inout ConditionScanner) throws(ExpressionFailure) -> (
        any ConditionTerm
    )? {
        guard let subject = start.subject, subject == .os || subject == .appID || subject == .installationID else {
            return nil
        }
        return Self(subject: subject, values: try scanner.members())
    }

    var description: String {
        if values.count == 1, subject != .installationID { return "\(subject) == \(ConditionText.quoted(values[0]))" }
        return "\(subject) in \(ConditionText.list(values))"
    }

    var comparisonCount: Int { values.count }

    func compiled(_ names: inout ConditionNames) -> CompiledTerm {
        let number = names.subjects.number(of: subject)
        let values = TextSet(subject.isFolded ? values.map { $0.lowercased() } : values)
        return CompiledTerm(.lookup, nanoseconds: 200) { state in
            state.folded(number).map { values.contains($0) } ?? false
        }
    }

    func show(in menus: inout ConditionMenus) -> Bool {
        switch subject {
        case .appID: ConditionMenus.list(values, in: &menus.apps)
        case .os where values.count == 1: ConditionMenus.list(values, in: &menus.platform)
        default: false
        }
    }

    static func chosen(in menus: ConditionMenus) -> [any ConditionTerm] {
        [(ConditionSubject.os, menus.platform), (.appID, menus.apps)]
            .map { Self(subject: $0, values: ConditionMenus.values(of: $1)) }
            .filter { !$0.values.isEmpty }
    }
}

extension ConditionScanner {
    /// Takes the values after the property: `== 'a'` or `in ['a', 'b']`.
    mutating func members() throws(ExpressionFailure) -> [String] {
        if takes("==") { return [try string()] }
        if takesWord("in") { return try strings() }
        throw failure("expected == or \"in\"")
    }
}
