import Foundation
import Sightline
import SightlineEvaluation

/// A kind of evaluation: what a model answers, and how its answers are measured.
///
/// A new kind is a type in a file of this folder, a line in ``EvaluationKinds/all``, and a command of `sightline-hub` that
/// runs it.
protocol EvaluationKind: Sendable {
    /// The name in records, which never changes.
    var name: String { get }
    /// The use of the models that it evaluates.
    var task: ModelInspection.Purpose { get }
    /// The command of the process that evaluates, with the arguments of `evaluate-labels`.
    var command: String { get }
    /// The form that asks for the pictures.
    var form: EvaluationForm { get }

    /// Reads and checks a result, because its process ran an untrusted model.
    ///
    /// - Throws: `DecodingError`, or `EvaluationError.malformedReport`.
    func result(json: Data) throws -> any EvaluationResult
    /// Reads a stored comparison; nil if it cannot be read.
    func comparison(json: String) -> (any EvaluationComparison)?
    /// The main figure with its name, for example `73.1 % right`.
    func scored(_ value: Double) -> String
}

/// The words of the form that asks for the pictures of an evaluation.
struct EvaluationForm: Sendable {
    var title: String
    /// The contents of the archive.
    var contents: String
    /// The contents of the result.
    var result: String
}

/// The result of an evaluation: a line of its process, which the hub stores as it is.
protocol EvaluationResult: Sendable {
    /// The number of evaluated pictures.
    var pictureCount: Int { get }
    /// The main figure, 0…1; nil if there is none.
    var score: Double? { get }
    /// The comparison with the version that is served, the baseline; nil if there is none.
    var servedComparison: (any EvaluationComparison)? { get }
    /// The comparison with a rewritten, faster form of the model; nil if there is none.
    var rewrittenComparison: (any EvaluationComparison)? { get }
    /// The threshold with the best F1 of all answers; nil if no answer is right.
    var bestThreshold: Double? { get }
    /// The paths of the pictures on the page.
    var shownPictures: [String] { get }

    /// The report, prepared for its page.
    func view(_ choice: EvaluationChoice) -> EvaluationView
    /// The pictures with a certain answer, by the name in the path of their page; nil if there are none.
    func cell(named name: String) -> EvaluationCell?
}

/// The part of a report that a page shows.
struct EvaluationChoice: Sendable {
    /// The evaluation's page.
    var path: String
    var threshold: Double
    /// The position of the label whose curve is shown; nil for all labels together.
    var label: Int?
    /// The page of the table of labels, from 1.
    var page: Int
    /// The names of the thumbnails that can be shown.
    var thumbnails: Set<String>
}

/// Two models on the same pictures: a version and the served version, or a version and its faster form.
protocol EvaluationComparison: Sendable, Codable {
    /// The SHA-256 of the candidate's file.
    var candidateHash: String { get }
    /// The number of pictures that both models answered.
    var pictureCount: Int { get }
    /// The number of times that the candidate runs in the time of the baseline.
    var speedup: Double { get }
    /// The changes of a rewritten form; empty for two versions.
    var rewrites: [String] { get }
    /// Whether the candidate answered worse than the baseline.
    var isWorse: Bool { get }
    /// The candidate's quality beside the baseline's, for example `2 right answers more than version 1`.
    func quality(comparedWith baseline: String) -> String
    /// The baseline's quality and the share of equal answers, for a list.
    var summary: String { get }
    /// A row for each model.
    func table(_ baseline: String, _ candidate: String) -> ComparisonTable
}

/// All kinds of evaluations.
enum EvaluationKinds {
    static let all: [any EvaluationKind] = [LabelEvaluation(), BoxEvaluation()]

    /// The kind with a name in a record.
    ///
    /// - Throws: `.unimplemented` if a later hub stored the record.
    static func named(_ name: String) throws(HubError) -> any EvaluationKind {
        guard let kind = all.first(where: { $0.name == name }) else {
            throw HubError(.unimplemented, "This hub does not know evaluations of \(name); install a newer hub.")
        }
        return kind
    }

    /// The kind that evaluates a version; nil if there is none.
    static func kind(of version: ModelVersion) -> (any EvaluationKind)? { kind(ofInspection: version.inspection) }

    /// The kind that evaluates the version with an inspection; nil if there is none.
    static func kind(ofInspection json: String) -> (any EvaluationKind)? {
        let inspection = try? JSONDecoder().decode(Use.self, from: Data(json.utf8))
        return all.first { $0.task == inspection?.task }
    }

    /// The part of an inspection that decides.
    private struct Use: Decodable {
        let task: ModelInspection.Purpose?
    }
}
