/// Two models on the same pictures: a version and the served version, or a version and its faster form.
package protocol EvaluationComparison: Sendable, Codable {
    associatedtype Side: ComparedModel

    /// The contents of the table of both models.
    static var caption: String { get }
    /// When figures of the table count, and when answers are the same.
    static var help: String { get }

    /// The original, or the earlier version.
    var baseline: Side { get }
    /// The rewritten form, or the later version.
    var candidate: Side { get }
    /// The number of pictures that both models answered.
    var pictureCount: Int { get }
    /// The number of times that the candidate runs in the time of the baseline.
    var speedup: Double { get }
    /// The changes of a rewritten form; empty for two versions.
    var rewrites: [String] { get }
    /// Whether the candidate answered worse than the baseline.
    var isWorse: Bool { get }
    /// The baseline's quality and the share of equal answers, for a list.
    var summary: String { get }
    /// The equal answers of both models, with their name.
    var same: (name: String, value: ReportValue) { get }

    /// The figures of a model, each with its name.
    func figures(of side: Side) -> [(name: String, value: ReportValue)]
    /// The candidate's quality beside the baseline's, for example `2 right answers more than version 1`.
    func quality(comparedWith baseline: String) -> String

    /// Checks a comparison from another process, which may be inconsistent.
    ///
    /// - Throws: `EvaluationError.malformedReport`.
    func check() throws(EvaluationError)
}

/// A model of a comparison.
package protocol ComparedModel: Sendable {
    /// The SHA-256 of the model's file, in lower-case hexadecimal digits.
    var sha256: String { get }
    /// The size of the file in bytes.
    var byteCount: Int { get }
    /// Milliseconds of processor time of a run of the model on one thread, without decoding a picture.
    var milliseconds: Double { get }
}

extension EvaluationComparison {
    /// Checks the models and their speed.
    ///
    /// - Throws: `EvaluationError.malformedReport`.
    func checkModels() throws(EvaluationError) {
        for side in [baseline, candidate] {
            guard (0...1 << 40).contains(side.byteCount), (0...1e9).contains(side.milliseconds) else {
                throw .malformedReport(reason: "a size or time of the comparison is not valid")
            }
        }
        guard (0...1e9).contains(speedup) else {
            throw .malformedReport(reason: "the speed of the comparison is not valid")
        }
        guard rewrites.count <= 16, rewrites.allSatisfy({ $0.utf8.count <= 1000 }) else {
            throw .malformedReport(reason: "the comparison's list of changes is too long")
        }
    }
}
