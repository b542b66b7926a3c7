import Foundation

extension Hub {
    /// Creates a model.
    ///
    /// A missing or invalid file does not prevent this: the model exists, cannot be published, and has an error with
    /// the reason.
    func createModel(_ input: ModelInput, by caller: Caller) async throws -> ModelRecord {
        try caller.require(.publisher)
        let patch = try ModelPatch(input, mask: nil)
        let name = input.displayName ?? ""
        try ModelRules.check(displayName: name)
        try ModelRules.check(tags: input.tags ?? [])
        // Checked before the validation of the file, which takes longer.
        guard try await records.model(named: name, of: caller.project.id) == nil else {
            throw HubError(.alreadyExists, "Model '\(name)' already exists")
        }
        let time = now()
        var model = ModelRecord(
            id: 0,
            project: caller.project.id,
            displayName: name,
            tags: input.tags ?? [],
            createTime: time,
            updateTime: time,
            etag: Self.makeEtag(),
            isPublished: false,
            source: nil,
            validationError: .noFile,
            file: nil
        )
        let file: ModelPatch.FileInput = if case .set(let file) = patch.file { file } else { .none }
        let validated = try await validate(file, for: caller)
        let version = validated.apply(to: &model, versions: [], by: caller.actor, at: time)
        try await checkExperiments(whenServing: model, insteadOf: nil, by: caller)
        return try await records.insert(
            model,
            version: version,
            audit: audit(
                caller,
                "model.create",
                "",
                "displayName \(name)\(version.map { ", hash \($0.hash)" } ?? "")",
                event: .modelCreated
            )
        )
    }

    /// Changes a model. Repeating a patch is not an error.
    func patchModel(_ id: Int64, _ patch: ModelPatch, by caller: Caller) async throws -> ModelRecord {
        try caller.require(.publisher)
        if case .set(let name) = patch.displayName { try ModelRules.check(displayName: name) }
        if case .set(let tags) = patch.tags { try ModelRules.check(tags: tags) }
        var file = patch.file
        if case .keep = file, case .set(true) = patch.isPublished,
            let model = try await records.model(id, of: caller.project.id), case .object(let uri)? = model.source,
            model.validationError?.code == RPCCode.unavailable.rawValue
        {
            // The earlier validation was not possible; try again.
            file = .set(.uri(uri))
        }
        var validated: ValidatedFile?
        if case .set(let input) = file {
            guard try await records.model(id, of: caller.project.id) != nil else { throw notFound(id, caller) }
            validated = try await validate(input, for: caller)
        }
        return try await change(id, by: caller, "model.patch") { model, versions, time in
            if case .set(let name) = patch.displayName { model.displayName = name }
            if case .set(let tags) = patch.tags { model.tags = tags }
            let version = validated?.apply(to: &model, versions: versions, by: caller.actor, at: time)
            if case .set(let isPublished) = patch.isPublished {
                if isPublished, model.validationError != nil || model.file == nil {
                    throw model.publicationRefusal
                }
                model.isPublished = isPublished
            }
            return version
        }
    }

    /// Deletes a model and its versions. Issued addresses of its files stay valid until they expire.
    ///
    /// - Throws: `.failedPrecondition` if an active rollout or a running experiment gives apps the model.
    func deleteModel(_ id: Int64, by caller: Caller) async throws {
        try caller.require(.editor)
        guard let model = try await records.model(id, of: caller.project.id) else { throw HubError.entityNotFound }
        if let refusal = try await deletionRefusal(of: model, by: caller) { throw refusal }
        let isDeleted = try await records.deleteModel(
            id,
            of: caller.project.id,
            at: now(),
            audit: audit(
                caller,
                "model.delete",
                "projects/\(caller.project.id)/models/\(id)",
                "displayName \(model.displayName)",
                event: .modelDeleted
            )
        )
        guard isDeleted else { throw HubError.entityNotFound }
        try await removeForgottenEvaluations()
    }

    /// The reason why a model cannot be deleted now, with the next step; nil if there is none.
    func deletionRefusal(of model: ModelRecord, by caller: Caller) async throws -> HubError? {
        if let refusal = try await records.deletionRefusal(of: model) { return refusal }
        // A variant without its own value keeps the value that the parameter has.
        let keeping = try await records.runningExperiments(of: model.project).filter { experiment in
            experiment.variants.contains { $0.value == nil }
        }
        guard !keeping.isEmpty else { return nil }
        let parameters = try await configTemplate(by: caller).template.allParameters
        let experiment = keeping.first { experiment in
            guard let parameter = parameters[experiment.parameter] else { return false }
            let kept = experiment.condition.flatMap { parameter.conditionalValues[$0] } ?? parameter.defaultValue
            return kept?.texts.contains(model.displayName) == true
        }
        return experiment.map { .gives(model, experiment: $0) }
    }
}

extension ModelRecord.ValidationError {
    /// The error of a model without a file.
    static let noFile = Self(code: RPCCode.invalidArgument.rawValue, message: "No model file has been uploaded.")
}

extension ModelRecord {
    /// The reason why the model cannot be published.
    fileprivate var publicationRefusal: HubError {
        guard let validationError, validationError.code == RPCCode.unavailable.rawValue else {
            return HubError(.failedPrecondition, "Cannot publish a model that is not verified.")
        }
        return HubError(.failedPrecondition, "Cannot publish a model that is not verified. \(validationError.message)")
    }
}
