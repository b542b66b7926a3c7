import CommandLineSupport
import Foundation
import ModelCatalog
import Sightline

/// The meaning of `--model` and similar options: a file or folder, a model of a hub, otherwise an installed model.
enum ModelArgument {
    /// Finds the model of a path or name. An existing path comes first. The word built-in is the built-in detector. A model of a hub is
    /// downloaded.
    ///
    /// - Parameter hub: the file of `--hub`.
    /// - Throws: an exit code after a message, if a model of the catalog is not installed, the name is unknown, or a hub does not deliver
    ///   its model.
    static func resolve(
        _ text: String,
        labels: String?,
        hub: String? = nil,
        store: ModelStore = .ofUser()
    ) throws -> LocalModel {
        if HubModel.isNamed(by: text) {
            var model = try HubModel.fetch(text, file: hub)
            model.labels = labels.map { URL(filePath: $0) }
            return model
        }
        if text == DefaultModel.builtIn, !FileManager.default.fileExists(atPath: text) { return .builtInDetector }
        return try reporting { try LocalModel(named: text, labels: labels.map { URL(filePath: $0) }, store: store) }
    }
}
