import ArgumentParser
import CommandLineSupport

/// The labels that may appear in results.
struct LabelFilterArguments: ParsableArguments, Sendable {
    @Option(
        help:
            """
            Report only this label, in upper or lower case. Repeat it, or separate labels by commas: --allow person,dog. A group, \
            such as animal, stands for its kinds, too.
            """
    )
    var allow: [String] = []

    @Option(help: "Never report this label, or the kinds of this group. Repeat it, or separate labels by commas.")
    var deny: [String] = []

    /// Whether the arguments name labels.
    var hasLabels: Bool { !allow.isEmpty || !deny.isEmpty }

    /// Finds the labels that the arguments mean.
    ///
    /// - Throws: `InputError` if an argument means no label.
    func choice(among names: [String]) throws(InputError) -> LabelChoice {
        try LabelChoice(allow: allow, deny: deny, among: names)
    }
}
