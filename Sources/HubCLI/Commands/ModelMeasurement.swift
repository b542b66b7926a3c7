import CommandLineSupport
import Foundation
import Sightline
import SightlineEvaluation

/// The quality of a model on known pictures, as `sightline hub evaluate` prints it. Each use of models has a type.
protocol ModelMeasurement: Sendable {
    /// The unit that the curve counts: pictures or objects.
    static var unit: String { get }
    /// All answers by threshold.
    var overall: ThresholdCurve { get }

    /// Measures a model.
    ///
    /// - Parameters:
    ///   - model: The model's file.
    ///   - name: The model's name in the report.
    ///   - pictures: The pictures, as this use of models needs them.
    ///   - progress: Called after each picture.
    init(
        of model: LocalModel,
        named name: String,
        on pictures: URL,
        progress: (EvaluationProgress) -> Void
    ) async throws

    /// Tables for a terminal.
    func text(_ choice: ThresholdChoice) -> String
    /// Rows for spreadsheets.
    func csv(_ choice: ThresholdChoice) -> String
    /// The whole report.
    func json() throws -> String
    /// The report as a page.
    func html(_ choice: ThresholdChoice) -> String
}

/// The threshold that a user asks for.
struct ThresholdChoice: Sendable {
    /// The threshold; nil for the best.
    var threshold: Double?
    /// The wanted precision; nil if the user did not ask for a precision.
    var precision: Double?
}

/// The uses of models that can be measured.
enum ModelMeasurements {
    /// The measurement for a model.
    ///
    /// - Throws: `LocalModelError` if the model cannot be read, `CommandError` if its use cannot be measured.
    static func measurement(for model: LocalModel, named name: String) throws -> any ModelMeasurement.Type {
        switch try ModelInspection(of: model).task {
        case .labeling: return LabelMeasurement.self
        case .detection: return BoxMeasurement.self
        case nil:
            throw CommandError(
                "\(name) neither labels pictures nor finds objects in them, and so cannot be measured; see `sightline hub show \(name)`."
            )
        }
    }
}
