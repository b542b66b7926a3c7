/// An annotator that commands offer by name.
public struct AnnotatorKind: Sendable {
    /// The annotators, in the order in which they choose places for their tags. Commands take names and help texts from this list.
    public static let all: [AnnotatorKind] = [.zone, .heat, .trace, .mask, .box, .point, .label, .blur]

    /// The annotators for pictures and frames unless the caller chooses others.
    public static let standard: [AnnotatorKind] = [.zone, .mask, .box, .point, .label]

    /// The name on the command line.
    public let name: String
    /// A sentence for a command's help.
    public let summary: String
    /// Makes an annotator with default settings.
    public let makeAnnotator: @Sendable () -> any Annotator

    /// Creates a kind.
    ///
    /// - Parameters:
    ///   - name: the name on the command line.
    ///   - summary: a sentence for a command's help.
    ///   - makeAnnotator: makes an annotator with default settings.
    public init(name: String, summary: String, makeAnnotator: @escaping @Sendable () -> any Annotator) {
        self.name = name
        self.summary = summary
        self.makeAnnotator = makeAnnotator
    }

    /// Finds the annotator with a name.
    public init?(name: String) {
        guard let kind = Self.all.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}
