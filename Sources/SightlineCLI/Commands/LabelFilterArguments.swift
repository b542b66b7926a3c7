import ArgumentParser
import CommandLineSupport

/// The labels that may appear in results.
struct LabelFilterArguments: ParsableArguments, Sendable {
    @Option(
        help:
            "Report only this label, in upper or lower case. Repeat it, or separate labels by commas: --allow person,dog."
    )
    var allow: [String] = []

    @Option(help: "Never report this label. Repeat it, or separate labels by commas.")
    var deny: [String] = []

    /// Finds the labels that the arguments mean.
    ///
    /// - Parameter names: returns the model's labels; called only if there are arguments.
    /// - Throws: an exit code after a message.
    func choice(among names: () throws -> [String]) throws -> LabelChoice {
        try reporting(as: .usage) { try LabelChoice(allow: allow, deny: deny, among: names) }
    }
}
