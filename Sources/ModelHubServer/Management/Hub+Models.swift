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
        guard try await metadata.model(named: name, of: caller.project.id) == nil else {
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
        let version = validated.apply(to: &model, versions: [], time: time)
        return try await metadata.insert(
            model,
            version: version,
            audit: audit(caller, "model.create", "", "displayName \(name)\(version.map { ", hash \($0.hash)" } ?? "")")
        )
    }

    /// Changes a model. Repeating a patch is not an error.
    func patchModel(_ id: Int64, _ patch: ModelPatch, by caller: Caller) async throws -> ModelRecord {
        try caller.require(.publisher)
        if case .set(let name) = patch.displayName { try ModelRules.check(displayName: name) }
        if case .set(let tags) = patch.tags { try ModelRules.check(tags: tags) }
        var file = patch.file
        if case .keep = file, case .set(true) = patch.isPublished,
            let model = try await metadata.model(id, of: caller.project.id), case .object(let uri)? = model.source,
            model.validationError?.code == RPCCode.unavailable.rawValue
        {
            // The earlier validation was not possible; try again.
            file = .set(.uri(uri))
        }
        var validated: ValidatedFile?
        if case .set(let input) = file {
            guard try await metadata.model(id, of: caller.project.id) != nil else { throw notFound(id, caller) }
            validated = try await validate(input, for: caller)
        }
        return try await change(id, by: caller, "model.patch") { model, versions, time in
            if case .set(let name) = patch.displayName { model.displayName = name }
            if case .set(let tags) = patch.tags { model.tags = tags }
            let version = validated?.apply(to: &model, versions: versions, time: time)
            if case .set(let isPublished) = patch.isPublished {
                if isPublished, model.validationError != nil || model.file == nil {
                    throw model.publicationRefusal
                }
                model.isPublished = isPublished
            }
            return version
        }
    }

    /// Restores an earlier version.
    func rollBack(_ id: Int64, to number: Int, by caller: Caller) async throws -> ModelRecord {
        try caller.require(.publisher)
        return try await change(id, by: caller, "model.rollback") { model, versions, _ in
            guard let version = versions.first(where: { $0.number == number }) else {
                let known = versions.map { "\($0.number)" }.joined(separator: ", ")
                throw HubError(
                    .notFound,
                    "Model '\(model.displayName)' has no version \(number) (versions: \(known.isEmpty ? "none" : known)); use one of these."
                )
            }
            model.file = version.file
            model.source = .object(uri: version.source)
            model.validationError = nil
            return nil
        }
    }

    /// Sets the confidence below which clients drop results unless they set their own threshold; nil to remove it. The
    /// threshold stays when the model gets another file.
    func setConfidenceThreshold(_ id: Int64, to threshold: Double?, by caller: Caller) async throws -> ModelRecord {
        try caller.require(.publisher)
        if let threshold, !(0...1).contains(threshold) {
            throw HubError(.invalidArgument, "A confidence threshold must be a number from 0 to 1, not \(threshold).")
        }
        return try await change(id, by: caller, "model.threshold") { model, _, _ in
            model.confidenceThreshold = threshold
            return nil
        }
    }

    /// Deletes a model and its versions. Issued addresses of its files stay valid until they expire.
    func deleteModel(_ id: Int64, by caller: Caller) async throws {
        try caller.require(.editor)
        let isDeleted = try await metadata.deleteModel(
            id,
            of: caller.project.id,
            at: now(),
            audit: audit(caller, "model.delete", "projects/\(caller.project.id)/models/\(id)")
        )
        guard isDeleted else { throw HubError.entityNotFound }
        try await removeForgottenEvaluations()
    }

    /// Reads a model, changes it and writes it back; repeats the change if the model changed meanwhile.
    private func change(
        _ id: Int64,
        by caller: Caller,
        _ action: String,
        _ body: (inout ModelRecord, [ModelVersion], Timestamp) throws -> ModelVersion?
    ) async throws -> ModelRecord {
        for _ in 0..<16 {
            guard let old = try await metadata.model(id, of: caller.project.id) else { throw notFound(id, caller) }
            let versions = try await metadata.versions(of: id)
            var new = old
            let time = now()
            let version = try body(&new, versions, time)
            guard new != old || version != nil else { return old }
            new.updateTime = max(time, old.updateTime.advanced(by: .milliseconds(1)))
            new.etag = Self.makeEtag()
            let isDone = try await metadata.update(
                new,
                replacing: old.etag,
                version: version,
                audit: audit(caller, action, new.resourceName, Self.difference(old, new))
            )
            if isDone { return new }
        }
        throw HubError(.aborted, "Too many callers change the model at the same time; try again.")
    }

    private func notFound(_ id: Int64, _ caller: Caller) -> HubError {
        HubError(.notFound, "Model 'projects/\(caller.project.id)/models/\(id)' was not found")
    }

    /// The changes, for the audit log.
    private static func difference(_ old: ModelRecord, _ new: ModelRecord) -> String {
        var parts: [String] = []
        if old.displayName != new.displayName { parts.append("displayName \(new.displayName)") }
        if old.tags != new.tags { parts.append("tags \(new.tags.joined(separator: " "))") }
        if old.file != new.file, let file = new.file { parts.append("version \(file.version), hash \(file.hash)") }
        if old.isPublished != new.isPublished { parts.append(new.isPublished ? "published" : "unpublished") }
        if old.confidenceThreshold != new.confidenceThreshold {
            parts.append("confidence threshold \(new.confidenceThreshold.map { "\($0)" } ?? "none")")
        }
        if let error = new.validationError, old.validationError != error { parts.append("error \(error.message)") }
        return parts.joined(separator: ", ")
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
