import Foundation
import ModelCatalog
import Sightline

/// What `--model` and the like name: a file or folder, otherwise an installed model.
enum ModelArgument {
    /// The model of a path or name; a path that exists wins.
    ///
    /// - Throws: an exit code after saying that a model of the catalogue is not installed.
    static func resolve(_ text: String, labels: String?, store: ModelStore = .ofUser()) throws -> LocalModel {
        let path = LocalModel(path: text, labelsPath: labels)
        guard !FileManager.default.fileExists(atPath: text) else { return path }
        if let installed = store[text] { return LocalModel(path: installed.model.path, labelsPath: labels) }
        if let catalog = try? ModelCatalog.bundled(), catalog[text] != nil {
            StandardError.report(
                "the model \(text) is not installed; `sightline models install \(text)` installs it."
            )
            throw ExitStatus.nothingDone
        }
        return path
    }
}
