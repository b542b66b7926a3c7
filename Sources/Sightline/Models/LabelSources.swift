import Foundation
import OnnxRuntime
import TensorFlowLite

/// The places in which a model's labels may be, in the order in which they are tried.
struct LabelSources {
    let model: any InferenceModel
    let url: URL
    let local: LocalModel
    let sidecar: ModelSidecar
    /// The label file that an AutoML manifest names.
    let manifest: URL?
    let ultralytics: UltralyticsMetadata?
    let bundle: ModelBundle?

    /// The labels: the file that the caller names, then those that the manifest, the sidecar and the metadata name, then those
    /// in the model's archive, then files beside the model, then those of a catalog.
    func labels() throws(LocalModelError) -> (list: LabelList, isGuess: Bool)? {
        let folder = url.deletingLastPathComponent()
        if let file = local.labels { return (try read(file), false) }
        if let manifest { return (try read(manifest), false) }
        if let name = sidecar.labels { return (try read(folder.appending(path: name)), false) }
        if let list = try fileInMetadata() ?? ultralytics?.names { return (list, false) }
        if let list = try textInMetadata() { return (list, false) }
        // Models of RapidAI, which come from PaddlePaddle, hold a label on each line here.
        if let text = model.properties["character"] {
            return (try LabelList(parsing: Data(text.utf8), source: "the texts inside \(url.lastPathComponent)"), true)
        }
        if let bundle {
            guard let file = bundle.labels else { return nil }
            let source = "\(file.name) inside \(url.lastPathComponent)"
            return (try LabelList(parsing: file.content, source: source), bundle.isLabelGuess)
        }
        let stem = url.deletingPathExtension().lastPathComponent
        let own = ["\(stem).txt", "\(stem)_labels.txt", "\(stem)-labels.txt", "\(stem).labels.txt"]
        for (names, isGuess) in [(own, false), (["dict.txt", "labels.txt", "labelmap.txt"], true)] {
            for name in names {
                let file = folder.appending(path: name)
                if FileManager.default.fileExists(atPath: file.path) { return (try read(file), isGuess) }
            }
        }
        return local.knownLabels.map { ($0.list, false) }
    }

    private func read(_ file: URL) throws(LocalModelError) -> LabelList { try LabelList(contentsOf: file) }

    /// The labels that `OnnxLabels` added to an ONNX file.
    private func textInMetadata() throws(LocalModelError) -> LabelList? {
        guard let text = model.properties[OnnxLabels.property] else { return nil }
        return try LabelList(parsing: Data(text.utf8), source: "the metadata inside \(url.lastPathComponent)")
    }

    /// The label file of the wanted language among the files that the metadata of an output names: of the output that the sidecar
    /// chooses, or of any.
    private func fileInMetadata() throws(LocalModelError) -> LabelList? {
        let files = model.outputMetadata(chosenBy: sidecar).flatMap(\.associatedFiles).filter {
            // Ultralytics' description of a model has the type of a label file.
            ($0.kind == .axisLabels || $0.kind == .valueLabels) && !UltralyticsMetadata.isFileName($0.name)
        }
        let language = local.locale.split(separator: "-").first.map(String.init) ?? local.locale
        let wanted = [local.locale, language, "en"].lazy.compactMap { wanted in
            files.first { $0.locale?.lowercased() == wanted.lowercased() }
        }
        guard let file = wanted.first ?? files.first(where: { $0.locale == nil }) ?? files.first else { return nil }
        let data: Data
        do {
            data = try model.associatedFile(named: file.name)
        } catch {
            throw .labels(source: file.name, reason: "\(error)")
        }
        return try LabelList(parsing: data, source: "\(file.name) inside \(url.lastPathComponent)")
    }
}

extension InferenceModel {
    /// The metadata of the output that a sidecar chooses. Without a choice, the metadata of all outputs.
    func outputMetadata(chosenBy sidecar: ModelSidecar) -> [TensorMetadata] {
        let outputs = metadata?.outputs ?? []
        guard let index = sidecar.scoreOutput else { return outputs }
        return outputs.indices.contains(index) ? [outputs[index]] : []
    }
}
