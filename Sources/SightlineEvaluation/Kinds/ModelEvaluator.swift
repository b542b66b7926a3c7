import Foundation
import Sightline
package import TensorFlowLite

/// A kind of evaluation: a model, ready to be measured on pictures whose contents are known.
///
/// Commands, workers and pages know the kinds only through this protocol and those of its associated types. A new kind is a folder
/// beside `Labels` and `Boxes`, and an entry of ``EvaluationKinds/all``.
package protocol ModelEvaluator: Sendable {
    associatedtype Pictures: EvaluationPictures
    associatedtype Report: EvaluationReport
    associatedtype Comparison: EvaluationComparison

    /// The name in records and commands, which never changes.
    static var name: String { get }
    /// The use of the models that are measured.
    static var task: ModelInspection.Purpose { get }
    /// The form that asks for the pictures.
    static var form: EvaluationForm { get }

    /// The main figure with its name, for example `73.1 % right`.
    static func scored(_ score: Double) -> String

    /// Reads and compiles a model.
    ///
    /// - Parameter workers: The number of pictures that are processed at the same time; nil for one per core.
    init(model: LocalModel, workers: Int?) throws

    /// Measures the model.
    func evaluate(_ pictures: Pictures, progress: (EvaluationProgress) -> Void) async throws -> Report

    /// Compares the model with an earlier version.
    func compare(
        withEarlier earlier: Self,
        on pictures: Pictures,
        progress: (EvaluationProgress) -> Void
    ) async throws -> Comparison

    /// Compares the model with a rewritten form of it.
    func compare(
        with optimized: OptimizedModel,
        on pictures: Pictures,
        progress: (EvaluationProgress) -> Void
    ) async throws -> Comparison
}

/// The words of the form that asks for the pictures of an evaluation.
package struct EvaluationForm: Sendable {
    package var title: String
    /// The contents of the archive.
    package var contents: String
    /// The contents of the report.
    package var result: String
}

/// Pictures whose contents are known.
package protocol EvaluationPictures: Sendable {
    /// The files of the pictures.
    var files: PictureFiles { get }

    /// Opens an archive, or another source of such pictures.
    init(at url: URL) throws
}

/// All kinds of evaluations.
package enum EvaluationKinds {
    package static let all: [any ModelEvaluator.Type] = [LabelEvaluator.self, BoxEvaluator.self]

    /// The kind with a name; nil if there is none.
    package static func named(_ name: String) -> (any ModelEvaluator.Type)? { all.first { $0.name == name } }

    /// The kind that measures models for a use; nil if there is none.
    package static func measuring(_ task: ModelInspection.Purpose?) -> (any ModelEvaluator.Type)? {
        all.first { $0.task == task }
    }
}
