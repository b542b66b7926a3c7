import HTTPServing
import Hummingbird
import Sightline
import TensorFlowLite
import TextFormatting

/// The requests of Triton's clients beyond the protocol: the list of models and the configuration of one.
///
/// Source: Triton Inference Server, "Model Repository Extension" and "Model Configuration Extension".
extension OpenInferenceDialect {
    /// The models with their states.
    @Sendable
    func index(_ request: APIRequest) -> Response {
        var json = JSONText()
        json.array(service.servedModels()) { json, model in
            json.object { json in
                json.field("name") { $0.string(model.name) }
                if let version = model.version { json.field("version") { $0.string(version.model.version) } }
                json.field("state") { $0.string(model.version == nil ? "UNAVAILABLE" : "READY") }
                json.field("reason") { $0.string(model.problem ?? "") }
            }
        }
        return .json(text: json.text)
    }

    /// The configuration of a model. No dimension is that of a batch.
    @Sendable
    func config(_ request: APIRequest) throws -> Response {
        let loaded = try model(of: request)
        func write(_ json: inout JSONText, _ tensor: TensorDescription, _ shape: Tensor.Shape) {
            json.object { json in
                json.field("name") { $0.string(tensor.name) }
                json.field("data_type") { $0.string("TYPE_\(tensor.dataType.openInferenceName)") }
                json.field("dims") { $0.array(shape.dimensions) { $0.number($1) } }
            }
        }
        var json = JSONText()
        json.object { json in
            json.field("name") { $0.string(loaded.version.model.name) }
            json.field("platform") { $0.string(loaded.model.runtime.platform) }
            json.field("backend") { $0.string(loaded.model.runtime.backend) }
            json.field("max_batch_size") { $0.number(0) }
            json.field("input") { $0.array(loaded.model.inputs) { write(&$0, $1, loaded.model.requestShape(of: $1)) } }
            json.field("output") { $0.array(loaded.model.outputs) { write(&$0, $1, $1.shape) } }
        }
        return .json(text: json.text)
    }
}
