import ArgumentParser

/// A threshold: `0.5` for all labels, or `person=0.6` for one or, with commas, for several.
package struct ThresholdArgument: ExpressibleByArgument, Sendable, Hashable {
    /// The labels, as for `--allow`; nil for all labels.
    package let label: String?
    /// The confidence, 0…1 in a usable argument.
    package let value: Float

    /// Creates a threshold of a label, or of all labels for nil.
    package init(label: String? = nil, value: Float) { (self.label, self.value) = (label, value) }

    /// Reads the argument; nil if it is not a threshold.
    package init?(argument: String) {
        // The label may also have an equals sign.
        let separator = argument.lastIndex(of: "=")
        label = separator.map { String(argument[..<$0]) }
        let number = separator.map { argument[argument.index(after: $0)...] } ?? argument[...]
        guard let value = Float(number), label != "" else { return nil }
        self.value = value
    }
}

/// The values of a threshold option, which may be repeated.
package struct Thresholds: Sendable {
    /// The threshold of the labels without their own; nil for the model's threshold.
    package let usual: Float?
    private let ofLabels: [ThresholdArgument]
    private let option: String

    /// Reads the values.
    ///
    /// - Parameter option: the option as people write it, for messages: `--threshold`.
    /// - Throws: `ValidationError` for a value outside 0…1, or two values for all labels.
    package init(_ arguments: [ThresholdArgument], of option: String) throws {
        for argument in arguments where !(0...1).contains(argument.value) {
            throw ValidationError("\(option) is \(argument.value); it must be 0.0 to 1.0.")
        }
        let usual = arguments.filter { $0.label == nil }
        guard usual.count < 2 else {
            throw ValidationError(
                "\(option) has two values for all labels, but only one can count; give a label, as in person=0.6."
            )
        }
        self.option = option
        self.usual = usual.first?.value
        ofLabels = arguments.filter { $0.label != nil }
    }

    /// Whether some labels have their own thresholds.
    package var hasLabels: Bool { !ofLabels.isEmpty }

    /// The thresholds of single labels, in the model's spelling.
    ///
    /// - Throws: `InputError` if the model has no such label, or a label has two thresholds.
    package func byLabel(among names: [String]) throws(InputError) -> [String: Float] {
        let table = LabelTable(names)
        var thresholds: [String: Float] = [:]
        for argument in ofLabels {
            for label in try table.labels(argument.label ?? "", of: option) {
                guard thresholds.updateValue(argument.value, forKey: label) == nil else {
                    throw InputError(
                        reason: "\(option) has two values for \(label), but only one can count; leave one out."
                    )
                }
            }
        }
        return thresholds
    }
}
