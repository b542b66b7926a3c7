import CommandLineSupport
import Foundation
import ModelCatalog
import Sightline

/// The meaning of `--model` and similar options: a file or folder, otherwise an installed model.
enum ModelArgument {
    /// Finds the model of a path or name. An existing path comes first. The word built-in is the built-in detector.
    ///
    /// - Throws: an exit code after a message, if a model of the catalog is not installed or the name is unknown.
    static func resolve(_ text: String, labels: String?, store: ModelStore = .ofUser()) throws -> LocalModel {
        if text == DefaultModel.builtIn, !FileManager.default.fileExists(atPath: text) { return .builtInDetector }
        return try reporting { try LocalModel(named: text, labels: labels.map { URL(filePath: $0) }, store: store) }
    }
}
