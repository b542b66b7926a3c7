import Foundation
import ModelCatalog
import ModelHub
import Sightline

/// A model that a server shall serve: a built-in one, a file, an installed model, or one that a hub hosts.
package enum ModelSource: Sendable, Hashable {
    /// The built-in models that find and name objects.
    case builtInDetector
    /// The built-in model that labels pictures.
    case builtInLabeler
    /// A model on this machine, by the text that names it.
    case local(LocalModel, text: String)
    /// A model of a hub.
    case hub(RemoteModel)

    /// The models of a server that names none.
    package static let builtIn: [ModelSource] = [.builtInDetector, .builtInLabeler]

    /// The models of a server's command line: those with the given names, where the word built-in is both built-in models; without a name
    /// the default detector of the user and the built-in labeler.
    ///
    /// - Throws: `ModelNameError`; `DefaultModelError` or `ModelCatalogError` for a default that cannot be used.
    package static func sources(
        named names: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> [ModelSource] {
        if !names.isEmpty { return try names.flatMap { $0 == DefaultModel.builtIn ? builtIn : [try ModelSource($0)] } }
        guard let chosen = try DefaultModel.ofUser(environment: environment) else { return builtIn }
        return [.local(LocalModel(url: chosen.file), text: chosen.name), .builtInLabeler]
    }

    /// Reads `hub:NAME`, `hub:NAME@ALIAS`, the path of a file or folder, or the name of an installed model.
    ///
    /// - Throws: `ModelNameError`.
    package init(_ text: String) throws(ModelNameError) {
        guard text.hasPrefix("hub:") else {
            self = .local(try LocalModel(named: text), text: text)
            return
        }
        let parts = text.dropFirst(4).split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        let alias = parts.count > 1 ? ModelAlias(rawValue: String(parts[1])) : .production
        self = .hub(RemoteModel(name: name, alias: alias))
    }

    /// The name by which requests choose the model.
    package var name: String {
        switch self {
        case .builtInDetector: "built-in-detector"
        case .builtInLabeler: "built-in-labeler"
        case .local(let model, let text):
            // An installed model is in a folder of its name.
            text.contains("/") || model.url.path.hasSuffix(text)
                ? model.url.deletingPathExtension().lastPathComponent : text
        case .hub(let model): model.alias == .production ? model.name : "\(model.name)@\(model.alias)"
        }
    }

    /// The source as people read it.
    var description: String {
        switch self {
        case .builtInDetector, .builtInLabeler: "built-in"
        case .local(_, let text): text
        case .hub: "hub:\(name)"
        }
    }
}

extension ModelTable {
    /// Loads the models of this machine; models of a hub are in the table without a version.
    ///
    /// - Parameter limits: the number of compiled copies of each model, and whether models are rewritten.
    /// - Throws: the errors of `ObjectDetector` and `ImageLabeler`; ``SameName`` if two models have a name.
    package convenience init(_ sources: [ModelSource], for limits: AnswerService.Options) throws {
        var names: Set<String> = []
        for source in sources where !names.insert(source.name).inserted { throw SameName(name: source.name) }
        try self.init(
            sources.map { source in (source.name, source.description, try source.load(for: limits)) }
        )
    }
}

/// Two models of a server have the same name.
package struct SameName: Error, CustomStringConvertible {
    let name: String

    /// The failure and the next step, in one sentence.
    package var description: String {
        "Two models have the name \(name), by which requests choose; rename the file or the folder of one of them."
    }
}

extension ModelSource {
    /// The model, compiled; nil for a model of a hub.
    func load(for limits: AnswerService.Options) throws -> LoadedModel? {
        switch self {
        case .builtInDetector: try LoadedModel(detector: ObjectDetectorOptions(), named: name, for: limits)
        case .builtInLabeler: try LoadedModel(labeler: ImageLabelerOptions(), named: name, for: limits)
        case .local(let model, _): try LoadedModel(model, named: name, for: limits)
        case .hub: nil
        }
    }
}
