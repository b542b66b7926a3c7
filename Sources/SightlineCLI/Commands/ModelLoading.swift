import Sightline

/// A model of the command line, and what it is for.
struct RequestedModel {
    let model: LocalModel
    /// What the model is called on the command line.
    let name: String
    let task: ModelInspection.Purpose

    /// Nil if no model was named: the built-in ones do what they are for.
    init?(_ model: LocalModel?, named name: String?, for task: ModelInspection.Purpose) {
        guard let model, let name else { return nil }
        (self.model, self.name, self.task) = (model, name, task)
    }

    /// What to do with a model that is for the other task; nil if it is not.
    var misuse: String? {
        guard let found = try? ModelInspection(of: model).task, found != task else { return nil }
        return switch found {
        case .detection: "\(name) finds objects instead of naming pictures; use `sightline detect --model \(name)`."
        case .labeling: "\(name) names pictures instead of finding objects; use `sightline label --model \(name)`."
        }
    }
}

/// Makes something of models; what is wrong with them is said on standard error.
///
/// - Throws: `ExitStatus.nothingDone` after saying why.
func loading<Value>(_ models: [RequestedModel?] = [], _ body: () throws -> Value) throws -> Value {
    do {
        return try StandardError.silenced(body)
    } catch {
        var misuse: String?
        if case LocalModelError.output = error { misuse = models.lazy.compactMap { $0?.misuse }.first }
        StandardError.report(misuse ?? sentence(for: error))
        throw ExitStatus.nothingDone
    }
}
