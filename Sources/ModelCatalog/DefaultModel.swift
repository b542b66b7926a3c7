import Foundation
import Sightline

/// The detector that commands use when the command line names none.
package struct DefaultModel: Sendable, Hashable {
    /// The word for the models that come with Sightline, in place of a model's name.
    package static let builtIn = "built-in"
    /// The environment variable that names the detector for a process and its children.
    package static let variable = "SIGHTLINE_MODEL"

    /// The name or path of the model.
    package let name: String
    /// The model's file.
    package let file: URL

    /// The default of a user: the model that the environment variable names, otherwise the model that `sightline models use` chose; nil
    /// for the built-in detector.
    ///
    /// - Throws: `DefaultModelError` if the model is gone; `ModelCatalogError` if the choice cannot be read.
    package static func ofUser(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        store: ModelStore? = nil
    ) throws -> DefaultModel? {
        let store = store ?? .ofUser(environment: environment)
        if let name = environment[variable], !name.isEmpty {
            if name == builtIn { return nil }
            guard let file = store.file(ofDefault: name, prefersNames: false) else {
                throw DefaultModelError.variable(name)
            }
            return DefaultModel(name: name, file: file)
        }
        guard let name = try store.chosenDefault() else { return nil }
        guard let file = store.file(ofDefault: name, prefersNames: true) else {
            let isKnown = (try? ModelCatalog.bundled())?[name] != nil
            throw DefaultModelError.choice(name, isInCatalog: isKnown)
        }
        return DefaultModel(name: name, file: file)
    }
}

extension ModelStore {
    /// The file of a default; nil if there is none.
    ///
    /// - Parameter prefersNames: whether an installed model comes before a file of its name in the working folder. A stored choice means
    ///   the same in every folder.
    fileprivate func file(ofDefault name: String, prefersNames: Bool) -> URL? {
        let path = FileManager.default.fileExists(atPath: name) ? URL(filePath: name) : nil
        return prefersNames && !name.hasPrefix("/") ? self[name]?.model : path ?? self[name]?.model
    }
}

/// The reason why a default detector cannot be used.
package enum DefaultModelError: Error, Sendable, Hashable {
    /// The chosen model is gone.
    case choice(String, isInCatalog: Bool)
    /// The environment variable names neither a file nor an installed model.
    case variable(String)
}

extension DefaultModelError: CustomStringConvertible, LocalizedError {
    /// The failure and the next step, in one sentence.
    package var description: String {
        switch self {
        case .choice(let name, let isInCatalog):
            let remedy =
                if name.hasPrefix("/") {
                    "bring the file back"
                } else if isInCatalog {
                    "`sightline models install \(name)` installs it again"
                } else {
                    "`sightline models install \(name) --from FILE` installs it again"
                }
            return """
                The default model \(name), which `sightline models use` chose, is gone; \(remedy), and `sightline models use \
                \(DefaultModel.builtIn)` restores the built-in detector.
                """
        case .variable(let name):
            return """
                \(DefaultModel.variable) is \(name), which is neither a file nor an installed model; correct or unset the variable, or \
                install the model: `sightline models list` has all names.
                """
        }
    }

    /// The description.
    package var errorDescription: String? { description }
}
