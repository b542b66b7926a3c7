import Foundation

/// A model on this machine: a `.tflite` file and what lies beside it.
///
/// Nothing is read until a labeler or detector is made from it.
///
/// ```swift
/// LocalModel(path: "plants.tflite")                          // labels from metadata, or from a file beside it
/// LocalModel(path: "plants.tflite", labelsPath: "dict.txt")  // labels from this file
/// LocalModel(path: "export/")                                // an AutoML export: manifest.json, model.tflite, dict.txt
/// ```
public struct LocalModel: Sendable, Hashable {
    /// A `.tflite` file, the folder of an AutoML export, or its `manifest.json`.
    public var path: String
    /// A text file with one label a line, in the order of the model's outputs; nil to look for labels in the model's
    /// metadata, then beside the model.
    public var labelsPath: String?
    /// Which of a model's label files to read where it has them in several languages, as a BCP 47 tag. Falls back from
    /// `pt-BR` to `pt`, then to English, then to the file without a language.
    public var locale: String

    /// A model by its path.
    public init(path: String, labelsPath: String? = nil, locale: String = "en") {
        self.path = path
        self.labelsPath = labelsPath
        self.locale = locale
    }
}
