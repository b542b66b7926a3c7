import Foundation
import OnnxRuntime

@testable import Sightline
@testable import TensorFlowLite

extension FuzzTarget {
    /// Flatbuffers of models, with their metadata and packed files.
    static let model = FuzzTarget(name: "model") { data in
        let model = try Model(data: data)
        _ = (model.inputs, model.outputs)
        for name in model.associatedFileNames.prefix(20) { _ = try? model.associatedFile(named: name) }
    }

    /// Rewritten models, which must be readable again.
    static let optimizer = FuzzTarget(name: "optimizer") { data in
        let optimized = try ModelOptimizer(scoreThreshold: 0.5).optimized(try Model(data: data))
        require(try !Model(data: optimized.model.data).outputs.isEmpty, "a rewritten model has outputs")
    }

    /// Zip archives behind other bytes.
    static let archive = FuzzTarget(name: "archive") { data in
        guard let archive = try ZipArchive(trailing: data) else { return }
        for name in archive.names.prefix(20) { _ = try? archive.content(of: name) }
    }

    /// Files of labels, in all their forms, and descriptions of models beside them.
    static let labels = FuzzTarget(name: "labels") { data in
        _ = try? JSONDecoder().decode(ModelSidecar.self, from: data)
        let labels = try LabelList(parsing: data, source: "labels.txt")
        require(!labels.names.isEmpty, "a file without names is an error")
    }

    /// The protobuf of ONNX models.
    static let onnx = FuzzTarget(name: "onnx") { data in
        let model = try OnnxModel(data: data)
        _ = (model.inputs, model.outputs)
    }
}
