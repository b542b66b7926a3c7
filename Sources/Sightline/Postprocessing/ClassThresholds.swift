/// A threshold for all classes of a model, and other thresholds for some of them.
struct ClassThresholds: Sendable, Hashable {
    /// The threshold of the classes without their own.
    private let usual: Float
    private let special: [Int: Float]
    /// The smallest threshold: a score below it is dropped in every class.
    let least: Float

    /// The same threshold for all classes.
    init(_ usual: Float) { self.init(usual, special: [:]) }

    /// Creates thresholds for the classes of a model.
    ///
    /// - Parameters:
    ///   - usual: the threshold of the classes that `special` does not name.
    ///   - special: thresholds by the name of a class. Values outside 0…1 are ignored.
    init(_ usual: Float, _ special: [String: Float], of names: ClassNames) {
        guard !special.isEmpty else {
            self.init(usual)
            return
        }
        var byIndex: [Int: Float] = [:]
        for (index, name) in names.names.enumerated() {
            if let threshold = special[name]?.validConfidence { byIndex[index] = threshold }
        }
        self.init(usual, special: byIndex)
    }

    private init(_ usual: Float, special: [Int: Float]) {
        self.usual = usual
        self.special = special
        least = special.values.reduce(usual, min)
    }

    /// The thresholds of classes that have their own, by the index of the class.
    var byClass: [Int: Float] { special }

    /// The threshold of a class; nil for an object of no known class.
    subscript(classIndex: Int?) -> Float {
        guard !special.isEmpty, let classIndex else { return usual }
        return special[classIndex] ?? usual
    }

    /// The same thresholds of single classes, with another threshold for the other classes.
    func replacingUsual(with usual: Float) -> ClassThresholds { ClassThresholds(usual, special: special) }
}
