/// A kind of term in conditions: the file of its type reads, writes, evaluates and shows it.
///
/// A new kind is a new file, and a line in ``ConditionExpression/kinds``.
protocol ConditionTerm: Sendable, Hashable, CustomStringConvertible {
    /// Reads a term whose beginning has been read; nil if the term is of another kind.
    static func read(_ start: ConditionStart, _ scanner: inout ConditionScanner) throws(ExpressionFailure) -> (
        any ConditionTerm
    )?

    /// The text that ``read(_:_:)`` reads as the same term.
    var description: String { get }

    /// The maximum number of comparisons.
    var comparisonCount: Int { get }

    /// Prepares the term for repeated evaluation.
    func compiled(_ names: inout ConditionNames) -> CompiledTerm

    /// The term in a template for server SDKs; nil if they do not support it.
    var serverCondition: ServerTemplate.Condition? { get }

    /// The reasons why the term is probably a mistake, as sentences.
    var warnings: [String] { get }

    /// Shows the term in the menus of the console; false if no menu can show it, or the menu shows another term.
    func show(in menus: inout ConditionMenus) -> Bool

    /// The terms that the menus of the console show.
    ///
    /// - Throws: `.invalidArgument` with the wrong field.
    static func chosen(in menus: ConditionMenus) throws(HubError) -> [any ConditionTerm]
}

extension ConditionTerm {
    var comparisonCount: Int { 1 }
    var serverCondition: ServerTemplate.Condition? { nil }
    var warnings: [String] { [] }
    func show(in menus: inout ConditionMenus) -> Bool { false }
    static func chosen(in menus: ConditionMenus) throws(HubError) -> [any ConditionTerm] { [] }
}

/// The beginning of a term.
struct ConditionStart {
    /// Words joined by points, perhaps none.
    var name: String
    /// The position of the name.
    var place: Int
    /// The property of an installation that the name, and perhaps a key behind it, stand for.
    var subject: ConditionSubject?
}
