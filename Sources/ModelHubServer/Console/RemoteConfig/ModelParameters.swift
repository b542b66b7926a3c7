import Foundation

/// Parameters whose values name models.
///
/// Firebase's templates have no such type, so the names of parameters and models decide.
package struct ModelParameters: Sendable {
    /// The models of the project by name, each with whether it is published.
    private let models: [String: Bool]
    /// Whether these are all models of the project.
    private let isComplete: Bool

    /// The maximum number of models that forms offer.
    private static let limit = 1000

    /// - Parameter models: All models of a project by name, each with whether it is published.
    package init(_ models: [String: Bool]) { (self.models, isComplete) = (models, true) }

    /// The models of a project.
    init(of project: String, _ hub: Hub) async throws {
        var query = ModelListQuery()
        query.limit = Self.limit
        let listing = try await hub.records.modelListing(of: project, query)
        models = Dictionary(
            listing.entries.map { ($0.model.displayName, $0.model.isPublished) },
            uniquingKeysWith: { $1 }
        )
        isComplete = listing.matchCount <= Self.limit
    }

    /// The names of the models, in alphabetical order.
    var names: [String] { models.keys.sorted { $0.lowercased() < $1.lowercased() } }

    /// Whether a text is the name of a model.
    func isModel(_ text: String) -> Bool { models[text] != nil }

    /// Whether the values of a parameter are names of models: its key ends with the word "model", or a value is such a
    /// name.
    func isModelParameter(_ key: String, _ parameter: ConfigTemplate.Parameter) -> Bool {
        guard parameter.valueType == nil || parameter.valueType == "STRING" else { return false }
        return Self.endsWithModel(key) || Self.texts(of: parameter).contains { isModel($0) }
    }

    /// `plant_model`, `modelName` and `MODEL`, but not `model_threshold` and `remodel`.
    static func endsWithModel(_ key: String) -> Bool {
        var words: [String] = []
        var wasSmall = false
        for letter in key {
            if letter == "_" {
                words.append("")
            } else {
                if words.isEmpty || (letter.isUppercase && wasSmall) { words.append("") }
                words[words.count - 1] += letter.lowercased()
            }
            wasSmall = letter.isLowercase || letter.isNumber
        }
        words.removeAll(where: \.isEmpty)
        if words.count > 1, words.last == "name" { words.removeLast() }
        return words.last.map { $0.trimmingCharacters(in: .decimalDigits) } == "model"
    }

    /// The problem of a value of a parameter whose values are names of models; nil if there is none.
    func problem(of text: String) -> String? {
        guard !text.isEmpty else { return nil }
        switch models[text] {
        case true?: return nil
        case false?: return "The model \(text) is not published; publish it, so that apps can download it."
        case nil:
            return isComplete ? "The project has no model \(text.prefix(80)); upload it, or correct the name." : nil
        }
    }

    /// The problems of a value, those of an experiment's variants included; nil if there is none.
    func problem(of value: ConfigTemplate.Value?) -> String? {
        let problems = (value?.texts ?? []).compactMap(problem(of:))
        return problems.isEmpty ? nil : problems.joined(separator: " ")
    }

    /// The problems of all values, in the order of their parameters.
    ///
    /// - Parameter keys: Parameters whose values are names of models although their names do not show it.
    package func problems(in template: ConfigTemplate, knowing keys: Set<String> = []) -> [String] {
        template.allParameters.sorted { $0.key < $1.key }
            .filter { keys.contains($0.key) || isModelParameter($0.key, $0.value) }
            .flatMap { key, parameter in
                Set(Self.texts(of: parameter)).sorted().compactMap { text in problem(of: text).map { "\(key): \($0)" } }
            }
    }

    /// The problems of the values of one parameter.
    package func problems(of key: String, in template: ConfigTemplate) -> [String] {
        var part = ConfigTemplate()
        part.parameters[key] = template.allParameters[key]
        return problems(in: part)
    }

    /// The values of a parameter that are texts, those of experiments included.
    private static func texts(of parameter: ConfigTemplate.Parameter) -> [String] {
        ([parameter.defaultValue] + parameter.conditionalValues.values.map { $0 }).flatMap { $0?.texts ?? [] }
    }
}

extension ConfigTemplate {
    /// Where the template gives installations a model: `parameter plant_model, condition "beta"`.
    package func uses(ofModel name: String) -> [String] {
        allParameters.sorted { $0.key < $1.key }.flatMap { key, parameter -> [String] in
            var uses: [String] = []
            if parameter.defaultValue?.texts.contains(name) == true { uses.append("parameter \(key)") }
            for (condition, value) in parameter.conditionalValues.sorted(by: { $0.key < $1.key })
            where value.texts.contains(name) {
                if case .experiment(let experiment) = value {
                    uses.append("parameter \(key), experiment \(experiment.experimentID)")
                } else {
                    uses.append("parameter \(key), condition \"\(condition)\"")
                }
            }
            return uses
        }
    }
}
