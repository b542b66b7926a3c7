import Foundation
import Sightline

extension LocalModel {
    /// Finds the model that a text names: an existing file or folder, otherwise an installed model.
    ///
    /// A file that the catalog knows has the labels of the catalog, unless there are other labels. A text that looks like a path is
    /// taken as a path, also if there is nothing; reading the model then fails.
    ///
    /// - Parameters:
    ///   - text: a path or a name.
    ///   - labels: a file of labels, or nil.
    ///   - store: the installed models.
    /// - Throws: ``ModelNameError``.
    package init(named text: String, labels: URL? = nil, store: ModelStore = .ofUser()) throws(ModelNameError) {
        self.init(url: URL(filePath: text), labels: labels)
        if FileManager.default.fileExists(atPath: text) {
            if labels == nil, let entry = (try? ModelCatalog.bundled())?.entry(sameAs: url),
                let names = entry.labels?.names
            {
                knownLabels = .init(names: names, source: "the catalog, as \(entry.name)")
            }
            return
        }
        if let installed = store[text] {
            self.init(url: installed.model, labels: labels)
            return
        }
        if text.hasPrefix("hub:") { throw .ofHub(name: text) }
        let catalog = try? ModelCatalog.bundled()
        if catalog?[text] != nil { throw .notInstalled(name: text) }
        guard Self.isName(text) else { return }
        let names = store.installed().map(\.name) + (catalog?.entries.map(\.name) ?? [])
        throw .unknown(name: text, near: Suggestion.nearest(to: text, among: Array(Set(names)).sorted()))
    }

    /// Whether a text looks like the name of a model rather than a path.
    private static func isName(_ text: String) -> Bool {
        !text.contains("/")
            && !["tflite", "onnx", "json", "lite", "task", "zip"].contains(
                URL(filePath: text).pathExtension.lowercased()
            )
    }
}

/// The reason why a text names no model.
package enum ModelNameError: Error, Sendable, Hashable {
    /// A model of the catalog is not installed.
    case notInstalled(name: String)
    /// There is neither a file nor a model of the name; `near` are similar names.
    case unknown(name: String, near: [String])
    /// The name is that of a model of a hub, `hub:NAME`, and there is nothing about the hub.
    case ofHub(name: String)
}

extension ModelNameError: CustomStringConvertible, LocalizedError {
    /// The failure and the next step, in one sentence.
    package var description: String {
        switch self {
        case .notInstalled(let name):
            return "The model \(name) is not installed; `sightline models install \(name)` installs it."
        case .unknown(let name, let near):
            let advice = near.isEmpty ? "" : "did you mean \(near.joined(separator: " or "))? "
            return
                "There is neither a file nor a model of the name \(name); \(advice)`sightline models list` has all names."
        case .ofHub(let name):
            let model = name.dropFirst(4).split(separator: "@", maxSplits: 1)
            let alias = model.count > 1 ? " --alias \(model[1])" : ""
            return
                "\(name) is a model of a hub; commands take it with --hub FILE, a file with the hub's address and a key, and "
                + "`sightline hub download \(model.first ?? "NAME")\(alias)` fetches the model's file from the hub of this machine."
        }
    }

    /// The description.
    package var errorDescription: String? { description }
}
