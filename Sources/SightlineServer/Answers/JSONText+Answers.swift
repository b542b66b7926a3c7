import SightlineMedia
import TextFormatting

extension JSONText {
    /// A picture's results as the command writes them, with the model after them.
    ///
    /// - Parameter receipt: the receipt for scores of the answer; nil if they are not compared.
    init(_ picture: PictureResult, by model: AnswerModel, receipt: String?) {
        self.init(picture) { json in
            json.field("model") { $0.string(model.name) }
            json.field("version") { $0.string(model.version) }
            if let receipt { json.field("receipt") { $0.string(receipt) } }
        }
    }

    /// Writes a model as `/v1/models` describes it.
    mutating func servedModel(_ model: ServedModel) {
        object { json in
            json.field("name") { $0.string(model.name) }
            json.field("source") { $0.string(model.source) }
            if let version = model.version {
                json.field("kind") { $0.string(version.kind.rawValue) }
                json.field("version") { $0.string(version.model.version) }
                json.field("sha256") { $0.string(version.sha256) }
                json.field("labels") { $0.array(version.labels) { $0.string($1) } }
                json.field("inputs") { $0.array(version.inputs) { $0.tensor($1) } }
                json.field("outputs") { $0.array(version.outputs) { $0.tensor($1) } }
            }
            if let problem = model.problem { json.field("problem") { $0.string(problem) } }
        }
    }

    private mutating func tensor(_ tensor: ServedModel.Tensor) {
        object { json in
            json.field("name") { $0.string(tensor.name) }
            json.field("shape") { $0.array(tensor.shape) { $0.number($1) } }
            json.field("type") { $0.string(tensor.type) }
        }
    }
}
