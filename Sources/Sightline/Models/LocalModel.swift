public import Foundation

/// A model on this machine: a `.tflite` or `.onnx` file and the files beside it, or an archive with these.
///
/// Making a labeler or a detector reads the files; making a `LocalModel` does not.
///
/// ```swift
/// LocalModel(url: plants)                  // labels from the metadata, or from a file beside the model
/// LocalModel(url: plants, labels: names)   // labels from this file
/// LocalModel(url: exportFolder)            // an AutoML export: manifest.json, model.tflite, dict.txt
/// LocalModel(url: download)                // an archive: Teachable Machine's .zip, MediaPipe's .task
/// LocalModel(url: sidecar)                 // classes.sightline.json, which names a model and one of its outputs
/// ```
public struct LocalModel: Sendable, Hashable {
    /// A `.tflite` or `.onnx` file, the folder of an export, AutoML's `manifest.json`, a zip archive such as MediaPipe's `.task`, or a sidecar that
    /// names its model.
    public var url: URL {
        didSet { builtIn = nil }
    }
    /// A text file with one label a line, in the order of the model's outputs; nil to look for labels in the model's
    /// metadata, then beside the model.
    public var labels: URL?
    /// The language of the labels, as a BCP 47 tag, for a model with label files in several languages. Falls back from `pt-BR`
    /// to `pt`, then to English, then to the file without a language.
    public var locale: String
    /// The confidence, 0…1, below which results are dropped where the options give no threshold; nil, or a value outside 0…1,
    /// for the threshold in the model's sidecar or metadata.
    public var confidenceThreshold: Float?
    /// The labels if there are none in the model or beside it, and their source for messages.
    package var knownLabels: KnownLabels?
    /// The built-in model, if this is a built-in model.
    private(set) var builtIn: BuiltInModel?

    /// Creates a description of a model by its place.
    ///
    /// - Parameters:
    ///   - url: a `.tflite` or `.onnx` file, the folder of an export, AutoML's `manifest.json`, a zip archive such as MediaPipe's
    ///     `.task`, or a sidecar that names its model.
    ///   - labels: a text file with one label a line; nil to look for labels.
    ///   - locale: the language of the labels.
    ///   - confidenceThreshold: the confidence below which results are dropped where the options give no threshold.
    public init(
        url: URL,
        labels: URL? = nil,
        locale: String = "en",
        confidenceThreshold: Float? = nil
    ) {
        self.url = url
        self.labels = labels
        self.locale = locale
        self.confidenceThreshold = confidenceThreshold
    }

    /// Creates the description of a built-in model.
    init(_ builtIn: BuiltInModel) {
        url = URL(filePath: builtIn.expectedPath)
        locale = "en"
        self.builtIn = builtIn
    }
}

extension LocalModel {
    /// The labels of a model that a catalog knows.
    package struct KnownLabels: Sendable, Hashable {
        let list: LabelList

        /// - Parameters:
        ///   - names: the labels in the order of the model's outputs.
        ///   - source: where they come from, for messages.
        package init(names: [String], source: String) { list = LabelList(names: names, source: source) }
    }

    /// The built-in detector: finds objects of any kind, and names the eighty kinds of COCO, for example `person` and `cup`.
    ///
    /// An object whose kind is unsure gets the name of a group, for example `animal`, or none. The model takes 352 × 352 pixels, and
    /// sees each picture once more with 192 × 192. It is in a resource bundle next to the program; where the bundle is missing, making a detector throws
    /// ``LocalModelError/missingBuiltIn(file:searched:)``.
    public static let builtInDetector = LocalModel(.objectDetector)

    /// The built-in localizer: finds prominent objects of any kind and knows no classes, as ML Kit's does.
    ///
    /// The model takes 256 × 256 pixels. It is in a resource bundle next to the program; where the bundle is missing, making a
    /// detector throws ``LocalModelError/missingBuiltIn(file:searched:)``.
    public static let builtInLocalizer = LocalModel(.objectLocalizer)

    /// The built-in coarse classifier: fashion good (0), home good (1), food (2), place (3) or plant (4).
    ///
    /// The model takes 128 × 128 pixels. Its sixth class (5) stands for everything else and is never reported: objects of no
    /// such class have no label. It is an output of the detector's model, and is in a resource bundle next to the program; where the
    /// bundle is missing, making a detector or labeler throws ``LocalModelError/missingBuiltIn(file:searched:)``.
    public static let builtInClassifier = LocalModel(.coarseClassifier)

    /// The built-in labeler: labels a whole picture with everyday things, places and activities.
    ///
    /// The model takes 224 × 224 pixels. Each label has a probability of its own, so a picture may have several labels, or none.
    /// ``ModelInspection`` lists the labels. The model is in a resource bundle next to the program; where the bundle is
    /// missing, making a labeler throws ``LocalModelError/missingBuiltIn(file:searched:)``.
    public static let builtInLabeler = LocalModel(.imageLabeler)

    /// The built-in network of features, from which a training of labels starts where no other network is at hand.
    ///
    /// Before its last layer, which finds the coarse class of a picture, the network describes the picture by 384 numbers. It takes
    /// 192 × 192 pixels, and is in a resource bundle next to the program; where the bundle is missing, a trainer throws
    /// ``LocalModelError/missingBuiltIn(file:searched:)``.
    public static let builtInFeatures = LocalModel(.imageFeatures)

    /// All built-in models.
    package static let builtIns = BuiltInModel.allCases.map { LocalModel($0) }
}
