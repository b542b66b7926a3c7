import Foundation
import OnnxRuntime

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

    /// The protobuf of ONNX models.
    static let onnx = FuzzTarget(name: "onnx") { data in
        let model = try OnnxModel(data: data)
        _ = (model.inputs, model.outputs)
    }
}
