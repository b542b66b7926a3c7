import Sightline

/// Notices whether the classes that a model finds have names.
struct NamedFindings {
    private var (hasNamed, hasUnnamed) = (false, false)

    /// The number of objects, and of those without a name.
    private var (objects, nameless) = (0, 0)

    /// Counts objects and their labels.
    mutating func count(_ found: [DetectedObject]) {
        objects += found.count
        nameless += found.count(where: \.labels.isEmpty)
        count(found.lazy.flatMap(\.labels))
    }

    /// Whether most objects have no name.
    var areMostlyNameless: Bool { nameless * 2 > objects }

    /// Counts the labels of findings.
    mutating func count(_ labels: some Sequence<Label>) {
        guard !hasNamed else { return }
        for label in labels {
            if label.text.isEmpty { hasUnnamed = true } else { hasNamed = true }
        }
    }

    /// A sentence about a model without names; nil if a class has a name, or nothing was found.
    var namelessSentence: String? {
        guard hasUnnamed, !hasNamed else { return nil }
        return "The model has no names for its classes; --labels FILE adds them, one name on each line."
    }
}
