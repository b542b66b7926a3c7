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
    public var path: String {
        didSet { builtIn = nil }
    }
    /// A text file with one label a line, in the order of the model's outputs; nil to look for labels in the model's
    /// metadata, then beside the model.
    public var labelsPath: String?
    /// Which of a model's label files to read where it has them in several languages, as a BCP 47 tag. Falls back from
    /// `pt-BR` to `pt`, then to English, then to the file without a language.
    public var locale: String
    /// Below which confidence, from 0 to 1, results are dropped where the options name no threshold; nil, or a value outside
    /// 0…1, for the one in the model's sidecar or metadata.
    public var confidenceThreshold: Float?
    /// Which of the models that come with the package this is, if any.
    private(set) var builtIn: BuiltInModel?

    /// A model by its path.
    public init(
        path: String,
        labelsPath: String? = nil,
        locale: String = "en",
        confidenceThreshold: Float? = nil
    ) {
        self.path = path
        self.labelsPath = labelsPath
        self.locale = locale
        self.confidenceThreshold = confidenceThreshold
    }

    /// A model that comes with the package.
    init(_ builtIn: BuiltInModel) {
        path = builtIn.expectedPath
        locale = "en"
        self.builtIn = builtIn
    }
}

extension LocalModel {
    /// The built-in localizer: finds prominent objects of any kind and knows no classes.
    ///
    /// Takes 256 × 256 pixels. It lies in a resource bundle beside the program; where that is missing, making a detector
    /// throws ``LocalModelError/missingBuiltIn(file:searched:)``.
    public static let builtInLocalizer = LocalModel(.objectLocalizer)

    /// The built-in coarse classifier: fashion good (0), home good (1), food (2), place (3) or plant (4).
    ///
    /// Takes 128 × 128 pixels. Its sixth output (5) stands for everything else and is never reported: what it holds to be
    /// none of the five has no label. It lies in a resource bundle beside the program; where that is
    /// missing, making a detector or labeler throws ``LocalModelError/missingBuiltIn(file:searched:)``.
    public static let builtInClassifier = LocalModel(.coarseClassifier)
}
