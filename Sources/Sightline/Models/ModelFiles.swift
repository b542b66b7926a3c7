import Foundation
import TensorFlowLite

/// A model's files, found and read: the checked model, its labels, its sidecar.
struct ModelFiles: Sendable {
    /// The file of the model.
    let url: URL
    /// The checked model.
    let model: any InferenceModel
    /// The model that runs: the same model, or a rewritten form of it with the same inputs and outputs.
    private(set) var executable: any InferenceModel
    /// The shapes of the outputs for the size of the input, where the file does not state them.
    private(set) var openShapes = OpenShapes.stated
    /// The sidecar; empty where the model has no sidecar.
    private(set) var sidecar: ModelSidecar
    /// The place of the sidecar, for messages.
    let sidecarPath: String
    /// AutoML's metadata of a detector.
    let autoML: AutoMLDetectorMetadata?
    /// The metadata of Ultralytics' exporter.
    let ultralytics: UltralyticsMetadata?
    /// The paths of further models in the archive that the model comes from.
    let otherModels: [String]
    /// The labels, and whether they are a guess: a file near the model that nothing names.
    let labels: (list: LabelList, isGuess: Bool)?
    /// The score threshold that the caller received together with the model, if any.
    private let hostedThreshold: Float?

    /// The name for messages.
    let name: String

    /// The score threshold that the model's host or maker recommends: the threshold that came with the model, otherwise the
    /// sidecar's, otherwise the metadata's.
    var recommendedThreshold: Float? {
        let metadata = model.outputMetadata(chosenBy: sidecar).lazy.compactMap(\.scoreThreshold).first
        return hostedThreshold ?? (sidecar.scoreThreshold ?? metadata)?.validConfidence
    }

    /// Finds and reads everything that belongs to a model.
    ///
    /// - Parameter threads: the number of threads with which the model will run. A model that must run to show the shapes of its outputs is
    ///   compiled for it.
    init(_ local: LocalModel, threads: Int = 1) throws(LocalModelError) {
        let place = try Self.locate(local.builtIn?.url() ?? local.url)
        let model = place.model
        url = model
        hostedThreshold = local.confidenceThreshold?.validConfidence
        let bundle = try ModelBundle(contentsOf: model)
        do {
            self.model =
                if let bundle { try ModelFormat.model(data: bundle.model.content) } else {
                    try ModelFormat.model(at: model)
                }
            executable = self.model
        } catch {
            throw local.builtIn == nil
                ? .unusable(path: model.path, reason: error) : .damagedBuiltIn(path: model.path, reason: error)
        }
        name = bundle.map { "\($0.model.name) inside \(model.lastPathComponent)" } ?? model.lastPathComponent
        otherModels = bundle?.otherModels ?? []
        (sidecar, sidecarPath) = try ModelSidecar.load(from: place.sidecar, orInside: self.model, at: model)
        autoML = try Self.autoMLMetadata(beside: model, in: bundle)
        // With labels of the caller, a damaged list of names does not matter.
        ultralytics =
            local.labels == nil
            ? try UltralyticsMetadata(in: self.model, named: model.lastPathComponent)
            : try? UltralyticsMetadata(in: self.model, named: model.lastPathComponent)
        let sources = LabelSources(
            model: self.model,
            url: model,
            local: local,
            sidecar: sidecar,
            manifest: place.labels,
            ultralytics: ultralytics,
            bundle: bundle
        )
        labels = try sources.labels()
        openShapes = OpenShapes(of: self, threads: threads)
    }

    /// Whether a rewritten form of the model runs in its place.
    var isRewritten: Bool { executable !== model }

    /// The same files with a rewritten form of the model that runs in its place.
    func running(_ executable: any InferenceModel) -> ModelFiles {
        var files = self
        files.executable = executable
        return files
    }

    /// The same files with an input of another size, of a model that leaves its size open.
    func seeing(_ size: PixelSize) -> ModelFiles {
        var files = self
        files.sidecar.input = files.sidecar.input ?? ModelSidecar.Input()
        files.sidecar.input?.width = size.width
        files.sidecar.input?.height = size.height
        files.openShapes = OpenShapes(of: files, threads: 1)
        return files
    }

    /// The same files with a faster form of the model that runs in its place, if there is one.
    ///
    /// - Parameter scoreThreshold: the score below which the caller ignores all boxes; nil for a model without boxes.
    func optimized(
        scoreThreshold: Float? = nil,
        keptIn cache: OptimizedModelCache = .ofUser()
    ) -> ModelFiles {
        guard let model = model as? Model else { return self }
        return running(cache.model(for: model, scoreThreshold: scoreThreshold) ?? model)
    }

    /// The places of a model's files.
    private struct ModelLocation {
        let model: URL
        /// The label file that an AutoML manifest names.
        var labels: URL?
        /// The sidecar, if there is one.
        let sidecar: URL

        init(model: URL, labels: URL? = nil, sidecar: URL? = nil) {
            self.model = model
            self.labels = labels
            self.sidecar = sidecar ?? ModelSidecar.url(for: model)
        }
    }

    /// Finds the files of a model by the model, its folder, its AutoML manifest or its sidecar.
    private static func locate(_ url: URL) throws(LocalModelError) -> ModelLocation {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw .unreadable(path: url.relativePath, reason: "there is no such file")
        }
        if isFolder.boolValue {
            let manifest = url.appending(path: "manifest.json")
            if FileManager.default.fileExists(atPath: manifest.path) {
                return try locate(manifest)
            }
            return ModelLocation(model: try soleModel(in: url))
        }
        guard url.pathExtension.lowercased() == "json" else { return ModelLocation(model: url) }
        if url.lastPathComponent.hasSuffix(ModelSidecar.suffix) {
            return ModelLocation(model: try ModelSidecar.model(describedBy: url), sidecar: url)
        }
        let export = try AutoMLExport(manifest: url)
        return ModelLocation(model: export.model, labels: export.labels)
    }

    /// The model of a folder: `model.tflite` or `model.onnx`, otherwise the only model in it. `.tflite` files come first.
    private static func soleModel(in folder: URL) throws(LocalModelError) -> URL {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let models = ModelFormat.models(among: names).sorted()
        if let name = ["model.tflite", "model.onnx"].first(where: models.contains) {
            return folder.appending(path: name)
        }
        guard let model = models.first, models.count == 1 else {
            if models.isEmpty, let other = ForeignFile(namesOfFiles: names) {
                throw .unusable(path: folder.relativePath, reason: ModelError(other))
            }
            throw .unreadable(
                path: folder.relativePath,
                reason: models.isEmpty
                    ? "the folder has neither manifest.json nor a .tflite or .onnx file"
                    : "the folder has several models (\(models.prefix(5).joined(separator: ", "))), none of them named model"
            )
        }
        return folder.appending(path: model)
    }

    private static func autoMLMetadata(
        beside model: URL,
        in bundle: ModelBundle?
    ) throws(LocalModelError) -> AutoMLDetectorMetadata? {
        let url = model.deletingLastPathComponent().appending(path: "tflite_metadata.json")
        do {
            if let bundle {
                return try bundle.autoMLMetadata.map { try AutoMLDetectorMetadata(lenientJSON: $0.content) }
            }
            guard FileManager.default.fileExists(atPath: url.path) else { return nil }
            return try AutoMLDetectorMetadata(lenientJSON: url)
        } catch {
            throw .manifest(path: bundle == nil ? url.path : model.path, reason: error.summary)
        }
    }
}

// MARK: - Labels

extension ModelFiles {
    /// The names of a classifier's outputs.
    func classNames(classifierWith classCount: Int) throws(LocalModelError) -> ClassNames {
        try names { (labels) throws(LocalModelError) in
            let names = try labels.aligned(toClassifierWith: classCount, model: name)
            // A copy of the coarse classifier, for example on a hub, is known by its labels.
            return names.names == BuiltInModel.coarseLabels ? names.hidingLast : names
        }
    }

    /// The class that a sidecar's `objectLabel` names: the last one, since the others are numbered as if it were not there.
    func objectClass(among classCount: Int) throws(LocalModelError) -> Int? {
        guard let label = sidecar.objectLabel else { return nil }
        guard classCount > 1, let names = labels?.list.names, names.count == classCount, names.last == label else {
            throw .sidecar(
                path: sidecarPath,
                reason: "objectLabel is \"\(label.prefix(100))\", but the last of the model's \(classCount) labels is "
                    + (labels?.list.names.last.map { "\"\($0.prefix(100))\"" } ?? "not known")
            )
        }
        return classCount - 1
    }

    /// The names of a detector's classes.
    func classNames(detectorWith classCount: Int?) throws(LocalModelError) -> ClassNames {
        try names { (labels) throws(LocalModelError) in
            try labels.aligned(toDetectorWith: classCount, model: name)
        }
    }

    private func names(
        align: (LabelList) throws(LocalModelError) -> ClassNames
    ) throws(LocalModelError) -> ClassNames {
        guard let labels else { return .none }
        do {
            return try align(labels.list)
        } catch {
            // A file that is merely in the same folder may belong to another model.
            if labels.isGuess { return .none }
            throw error
        }
    }
}
