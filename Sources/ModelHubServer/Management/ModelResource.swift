import ModelHubProtocol

extension ModelResource {
    /// Describes a model.
    init(_ model: ModelRecord) {
        // While the newest file is invalid, the hub serves the older file, but this resource does not describe it.
        let file = model.validationError == nil ? model.file : nil
        let source: TFLiteModel? =
            switch model.source {
            case .object(let uri): TFLiteModel(gcsTfliteUri: uri, sizeBytes: file.map { "\($0.byteCount)" })
            case .autoML(let name): TFLiteModel(automlModel: name)
            case nil: nil
            }
        self.init(
            name: model.resourceName,
            displayName: model.displayName,
            tags: model.tags.isEmpty ? nil : model.tags,
            createTime: model.createTime.description,
            updateTime: model.updateTime.description,
            etag: model.etag,
            modelHash: file?.hash.text,
            state: State(
                published: model.isPublished,
                validationError: model.validationError.map { RPCStatus(code: $0.code, message: $0.message) },
                warning: file?.warning
            ),
            tfliteModel: source
        )
    }
}

extension OperationResource {
    /// Describes a change of a model in a project, or its failure.
    init(project: String, result: Result<ModelRecord, HubError>) {
        let name = "projects/\(project)/operations/\(RandomBytes.make(12).hexadecimalText)"
        switch result {
        case .success(let model): self.init(name: name, model: ModelResource(model))
        case .failure(let failure):
            self.init(name: name, error: RPCStatus(code: failure.code.rawValue, message: failure.message))
        }
    }
}
