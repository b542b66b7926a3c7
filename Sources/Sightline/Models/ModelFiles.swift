import Foundation
import TensorFlowLite

/// A model's files, found and read: the checked model, its labels, its sidecar.
struct ModelFiles: Sendable {
    /// The `.tflite` file.
    let url: URL
    /// The checked model.
    let model: Model
    /// The sidecar; empty where the model has no sidecar.
    let sidecar: ModelSidecar
    /// AutoML's metadata of a detector.
    let autoML: AutoMLDetectorMetadata?
    /// The labels, and whether they are a guess: a file near the model that nothing names.
    let labels: (list: LabelList, isGuess: Bool)?
    /// The built-in model, if it is a built-in model.
    let builtIn: BuiltInModel?
    /// The score threshold that the caller received together with the model, if any.
    private let hostedThreshold: Float?

    /// The name for messages.
    var name: String { url.lastPathComponent }

    /// The score threshold that the model's host or maker recommends: the threshold that came with the model, otherwise the
    /// sidecar's, otherwise the metadata's.
    var recommendedThreshold: Float? {
        let metadata = model.metadata?.outputs.lazy.compactMap(\.scoreThreshold).first
        return hostedThreshold ?? (sidecar.scoreThreshold ?? metadata)?.validConfidence
    }

    /// Finds and reads everything that belongs to a model.
    init(_ local: LocalModel) throws(LocalModelError) {
        let model: URL
        var exportLabels: URL?
        if let builtIn = local.builtIn {
            model = try builtIn.url()
        } else {
            (model, exportLabels) = try Self.locate(local.url)
        }
        url = model
        builtIn = local.builtIn
        hostedThreshold = local.confidenceThreshold?.validConfidence
        do {
            self.model = try Model(contentsOf: model)
        } catch {
            throw builtIn == nil
                ? .unusable(path: model.path, reason: error) : .damagedBuiltIn(path: model.path, reason: error)
        }
        sidecar = try ModelSidecar.load(for: model) ?? ModelSidecar()
        autoML = try Self.autoMLMetadata(beside: model)
        labels = try Self.labels(for: self.model, at: model, local: local, sidecar: sidecar, export: exportLabels)
    }

    /// The model file itself, and the label file that an AutoML manifest names.
    private static func locate(_ url: URL) throws(LocalModelError) -> (model: URL, labels: URL?) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw .unreadable(path: url.relativePath, reason: "there is no such file")
        }
        if isFolder.boolValue {
            let manifest = url.appending(path: "manifest.json")
            if FileManager.default.fileExists(atPath: manifest.path) {
                return try locate(manifest)
            }
            let model = url.appending(path: "model.tflite")
            guard FileManager.default.fileExists(atPath: model.path) else {
                throw .unreadable(
                    path: url.relativePath,
                    reason: "the folder holds neither manifest.json nor model.tflite"
                )
            }
            return (model, nil)
        }
        guard url.pathExtension.lowercased() == "json" else { return (url, nil) }
        let export = try AutoMLExport(manifest: url)
        return (export.model, export.labels)
    }

    private static func autoMLMetadata(beside model: URL) throws(LocalModelError) -> AutoMLDetectorMetadata? {
        let url = model.deletingLastPathComponent().appending(path: "tflite_metadata.json")
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        do {
            return try AutoMLDetectorMetadata(lenientJSON: url)
        } catch {
            throw .manifest(path: url.path, reason: error.summary)
        }
    }
}

// MARK: - Labels

extension ModelFiles {
    /// The labels: the file that the caller names, then those that the manifest, the sidecar and the metadata name, then files
    /// beside the model.
    private static func labels(
        for model: Model,
        at url: URL,
        local: LocalModel,
        sidecar: ModelSidecar,
        export: URL?
    ) throws(LocalModelError) -> (list: LabelList, isGuess: Bool)? {
        let folder = url.deletingLastPathComponent()
        if let file = local.labels { return (try read(file), false) }
        if let export { return (try read(export), false) }
        if let name = sidecar.labels { return (try read(folder.appending(path: name)), false) }
        if let file = labelFile(in: model, locale: local.locale) {
            do {
                let data = try model.associatedFile(named: file.name)
                let source = "\(file.name) inside \(url.lastPathComponent)"
                let list =
                    LabelList.isUltralytics(file.name)
                    ? try LabelList(ultralytics: data, source: source) : try LabelList(parsing: data, source: source)
                return (list, false)
            } catch let error as LocalModelError {
                throw error
            } catch {
                throw .labels(source: file.name, reason: "\(error)")
            }
        }
        if let list = try LabelList(ultralyticsJSONIn: model, source: url.lastPathComponent) { return (list, false) }
        let stem = url.deletingPathExtension().lastPathComponent
        let own = ["\(stem).txt", "\(stem)_labels.txt", "\(stem)-labels.txt", "\(stem).labels.txt"]
        for (names, isGuess) in [(own, false), (["dict.txt", "labels.txt", "labelmap.txt"], true)] {
            for name in names {
                let file = folder.appending(path: name)
                if FileManager.default.fileExists(atPath: file.path) { return (try read(file), isGuess) }
            }
        }
        return nil
    }

    private static func read(_ file: URL) throws(LocalModelError) -> LabelList {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw .labels(source: file.path, reason: error.summary)
        }
        return try LabelList(parsing: data, source: file.lastPathComponent)
    }

    /// The label file of the wanted language among the files that the metadata of an output names.
    private static func labelFile(in model: Model, locale: String) -> AssociatedFile? {
        let outputs = model.metadata?.outputs ?? []
        let files = outputs.flatMap(\.associatedFiles).filter { $0.kind == .axisLabels || $0.kind == .valueLabels }
        let language = locale.split(separator: "-").first.map(String.init) ?? locale
        for wanted in [locale, language, "en"] {
            if let file = files.first(where: { $0.locale?.lowercased() == wanted.lowercased() }) { return file }
        }
        return files.first { $0.locale == nil } ?? files.first
    }

    /// The names of a classifier's outputs.
    func classNames(classifierWith classCount: Int) throws(LocalModelError) -> ClassNames {
        try names { (labels) throws(LocalModelError) in
            let names = try labels.aligned(toClassifierWith: classCount, model: name)
            return builtIn == .coarseClassifier ? names.hiding(BuiltInModel.unknownLabel) : names
        }
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
            // A file that merely lies in the same folder may belong to another model.
            if labels.isGuess { return .none }
            throw error
        }
    }
}
