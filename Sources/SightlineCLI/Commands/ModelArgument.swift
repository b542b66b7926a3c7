import CommandLineSupport
import Foundation
import ModelCatalog
import Sightline

/// The meaning of `--model` and similar options: a file or folder, otherwise an installed model.
enum ModelArgument {
    /// Finds the model of a path or name. An existing path comes first.
    ///
    /// - Throws: an exit code after a message, if a model of the catalog is not installed or the name is unknown.
    static func resolve(_ text: String, labels: String?, store: ModelStore = .ofUser()) throws -> LocalModel {
        let labels = labels.map { URL(filePath: $0) }
        let path = LocalModel(url: URL(filePath: text), labels: labels)
        guard !FileManager.default.fileExists(atPath: text) else { return labels == nil ? recognized(path) : path }
        if let installed = store[text] { return LocalModel(url: installed.model, labels: labels) }
        let catalog = try? ModelCatalog.bundled()
        if catalog?[text] != nil {
            StandardError.report(
                "The model \(text) is not installed; `sightline models install \(text)` installs it."
            )
            throw ExitStatus.failure.code
        }
        guard isName(text) else { return path }
        let names = store.installed().map(\.name) + (catalog?.entries.map(\.name) ?? [])
        let near = Suggestion.nearest(to: text, among: Array(Set(names)).sorted())
        let advice = near.isEmpty ? "" : "did you mean \(near.joined(separator: " or "))? "
        StandardError.report(
            "There is neither a file nor a model of the name \(text); \(advice)`sightline models list` has all names."
        )
        throw ExitStatus.failure.code
    }

    /// The model with the labels of the catalog, if the catalog has the same file.
    private static func recognized(_ model: LocalModel) -> LocalModel {
        guard let entry = (try? ModelCatalog.bundled())?.entry(sameAs: model.url), let names = entry.labels?.names
        else {
            return model
        }
        var model = model
        model.knownLabels = .init(names: names, source: "the catalog, as \(entry.name)")
        return model
    }

    /// Whether a text looks like the name of a model rather than a path.
    private static func isName(_ text: String) -> Bool {
        !text.contains("/")
            && !["tflite", "json", "lite", "task", "zip"].contains(URL(filePath: text).pathExtension.lowercased())
    }
}
