import CommandLineSupport
import Sightline

/// A model of the command line and its purpose.
struct RequestedModel {
    let model: LocalModel
    /// The model's name on the command line.
    let name: String
    let task: ModelInspection.Purpose

    /// Nil if the command line names no model: the built-in models have the right purpose.
    init?(_ model: LocalModel?, named name: String?, for task: ModelInspection.Purpose) {
        guard let model, let name else { return nil }
        (self.model, self.name, self.task) = (model, name, task)
    }

    /// The advice for a model that has the other purpose; nil if the model fits.
    var misuse: String? {
        guard let found = try? ModelInspection(of: model).task, found != task else { return nil }
        return switch found {
        case .detection: "\(name) finds objects instead of naming pictures; use `sightline detect --model \(name)`."
        case .labeling: "\(name) names pictures instead of finding objects; use `sightline label --model \(name)`."
        }
    }
}

/// Loads models and turns an error into a line on standard error.
///
/// - Throws: exit code 2 after the line is printed.
func loading<Value>(_ models: [RequestedModel?] = [], _ body: () throws -> Value) throws -> Value {
    do {
        return try withStandardErrorSilenced(body)
    } catch {
        var misuse: String?
        if case LocalModelError.output = error {
            misuse = withStandardErrorSilenced { models.lazy.compactMap { $0?.misuse }.first }
        }
        StandardError.report(misuse ?? sentence(for: error))
        throw ExitStatus.failure.code
    }
}
