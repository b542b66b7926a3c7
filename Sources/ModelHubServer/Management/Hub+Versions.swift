import Logging
import ModelHubProtocol
import Sightline

extension Hub {
    /// Makes an uploaded file a version of a model, and creates the model if there is none with the name. Clients get
    /// the version only after it is served or has an alias.
    ///
    /// A file with the same bytes as a version does not become a new version.
    ///
    /// - Parameters:
    ///   - uri: The address of the file in the hub's storage.
    ///   - name: The display name of the model.
    /// - Returns: The model, the version, and whether the version was there already.
    /// - Throws: `.failedPrecondition` if the file is not a valid model.
    func addVersion(
        _ uri: String,
        toModelNamed name: String,
        by caller: Caller
    ) async throws -> (model: ModelRecord, version: ModelVersion, isKnown: Bool) {
        try caller.require(.publisher)
        try ModelRules.check(displayName: name)
        let file = try await usableFile(uri, for: caller)
        if let model = try await records.model(named: name, of: caller.project.id) {
            return try await addVersion(file, to: model, by: caller)
        }
        let time = now()
        let version = file.version(after: [], by: caller.actor, at: time)
        var model = ModelRecord(
            project: caller.project.id,
            displayName: name,
            createTime: time,
            updateTime: time,
            etag: Self.makeEtag(),
            validationError: .noFile
        )
        file.describe(&model, after: [])
        do {
            let added = try await records.insert(
                model,
                version: version,
                audit: audit(
                    caller,
                    "model.create",
                    "",
                    "displayName \(name), version 1, hash \(version.hash)",
                    event: .modelCreated
                )
            )
            return (added, version, false)
        } catch let error as HubError where error.code == .alreadyExists {
            // Another call has created the model since.
            guard let model = try await records.model(named: name, of: caller.project.id) else { throw error }
            return try await addVersion(file, to: model, by: caller)
        }
    }

    private func addVersion(
        _ file: ValidatedFile.Usable,
        to model: ModelRecord,
        by caller: Caller
    ) async throws -> (model: ModelRecord, version: ModelVersion, isKnown: Bool) {
        var result: (version: ModelVersion, isKnown: Bool)?
        let changed = try await change(model.id, by: caller, "model.version") { model, versions, time in
            let equal = versions.filter { $0.hash == file.hash }
            if let known = equal.first(where: { $0.number == model.file?.version }) ?? equal.last {
                result = (known, true)
                return nil
            }
            file.describe(&model, after: versions)
            let version = file.version(after: versions, by: caller.actor, at: time)
            result = (version, false)
            return version
        }
        guard let result else { throw notFound(model.id, caller) }
        return (changed, result.version, result.isKnown)
    }

    private func usableFile(_ uri: String, for caller: Caller) async throws -> ValidatedFile.Usable {
        switch try await validate(.uri(uri), for: caller) {
        case .usable(let file): return file
        case .unusable(_, let error):
            throw HubError(.failedPrecondition, "The file cannot become a version: \(error.message)")
        case .removed, .autoML: throw HubError.invalidArgument
        }
    }

    /// Serves a version of a model: every client that names no alias gets it, with its threshold. An earlier version is
    /// served again in the same way.
    ///
    /// - Parameter number: The version; nil for the staged version.
    /// - Throws: `.failedPrecondition` if no version is staged, `.notFound` if the model has no such version.
    func promote(_ id: Int64, to number: Int?, by caller: Caller) async throws -> ModelRecord {
        try caller.require(.publisher)
        return try await change(id, by: caller, "model.promote") { model, versions, _ in
            guard let number = number ?? model.aliases[.staging] else {
                throw HubError(
                    .failedPrecondition,
                    "No version of \(model.displayName) is staged; name the version to serve, such as `sightline hub promote \(model.displayName) 1`, or stage one."
                )
            }
            model.serve(try versions.version(number, of: model))
            return nil
        }
    }

    /// Sets the confidence below which clients drop results of a version unless they set their own threshold; nil to
    /// remove it.
    ///
    /// - Parameter number: The version; nil for the served version.
    func setConfidenceThreshold(
        _ id: Int64,
        ofVersion number: Int?,
        to threshold: Double?,
        by caller: Caller
    ) async throws -> ModelRecord {
        try caller.require(.publisher)
        if let threshold, !(0...1).contains(threshold) {
            throw HubError(.invalidArgument, "A confidence threshold must be a number from 0 to 1, not \(threshold).")
        }
        return try await change(id, by: caller, "model.threshold") { model, versions, _ in
            guard let number = number ?? model.file?.version else {
                throw HubError(
                    .failedPrecondition,
                    "\(model.displayName) serves no version that could have a threshold; name a version."
                )
            }
            var version = try versions.version(number, of: model)
            guard version.confidenceThreshold != threshold else { return nil }
            version.confidenceThreshold = threshold
            if model.file?.version == number { model.file = version.file }
            return version
        }
    }

    /// Lets an alias name a version. The alias `staging` stages it.
    ///
    /// - Throws: `.invalidArgument` if the alias is not valid or is `production`, `.resourceExhausted` if the model has
    ///   too many aliases, `.notFound` if the model has no such version, `.failedPrecondition` if the version to stage
    ///   is served.
    func setAlias(_ alias: ModelAlias, of id: Int64, to number: Int, by caller: Caller) async throws -> ModelRecord {
        try caller.require(.publisher)
        try ModelRules.check(alias)
        return try await change(id, by: caller, "model.alias") { model, versions, _ in
            _ = try versions.version(number, of: model)
            if alias == .staging, model.file?.version == number {
                throw HubError(
                    .failedPrecondition,
                    "Version \(number) of \(model.displayName) is served; only another version can be staged."
                )
            }
            model.aliases[alias] = number
            guard model.aliases.keys.count(where: { $0 != .staging }) <= ModelRecord.maximumAliases else {
                throw HubError(
                    .resourceExhausted,
                    "\(model.displayName) already has \(ModelRecord.maximumAliases) aliases; remove an alias first."
                )
            }
            return nil
        }
    }

    /// Removes an alias; has no effect if there is none. Clients that ask for it get an error from then on. Without the
    /// alias `staging` they get the served version.
    func removeAlias(_ alias: ModelAlias, of id: Int64, by caller: Caller) async throws -> ModelRecord {
        try caller.require(.publisher)
        try ModelRules.check(alias)
        return try await change(id, by: caller, "model.alias") { model, _, _ in
            model.aliases[alias] = nil
            return nil
        }
    }
}

extension Hub {
    /// A sentence about the labels that went and came because a model serves another version; nil if the labels are the same, or those of
    /// a version are unknown. It also goes to the log, as a warning.
    @discardableResult
    func noteLabelChange(from old: ModelRecord, to new: ModelRecord, _ logger: Logger) async throws -> String? {
        guard let before = old.file?.version, let after = new.file?.version, before != after else { return nil }
        return try await noteLabelChange(of: (new.id, new.displayName), from: before, to: after, logger)
    }

    /// A sentence about the labels that go and come because clients of a model get another version, as above.
    @discardableResult
    func noteLabelChange(
        of model: (id: Int64, name: String),
        from old: Int,
        to new: Int,
        _ logger: Logger
    ) async throws -> String? {
        var versions: [ModelVersion] = []
        for number in [old, new] {
            if let version = try await records.version(number, of: model.id) { versions.append(version) }
        }
        guard let change = versions.labelChange(from: old, to: new) else { return nil }
        logger.warning(
            "clients of a model get other labels",
            metadata: ["model": "\(model.name)", "from": "\(old)", "to": "\(new)", "change": "\(change)"]
        )
        return change
    }
}

extension [ModelVersion] {
    /// A sentence about the labels that go and come between two versions; nil if there is nothing to say.
    func labelChange(from old: Int?, to new: Int) -> String? {
        guard let before = first(where: { $0.number == old }), let after = first(where: { $0.number == new }) else {
            return nil
        }
        return ModelInspection.labelChange(from: before.described, to: after.described)
    }

    /// The version of a model with a number.
    ///
    /// - Throws: `.notFound` with the numbers of the versions.
    func version(_ number: Int, of model: ModelRecord) throws(HubError) -> ModelVersion {
        if let version = first(where: { $0.number == number }) { return version }
        // At most ten, so that the sentence stays short.
        let known = suffix(10).map { "\($0.number)" }.joined(separator: ", ")
        throw HubError(
            .notFound,
            "Model '\(model.displayName)' has no version \(number) (\(count > 10 ? "last versions" : "versions"): "
                + "\(known.isEmpty ? "none" : known)); use one of these."
        )
    }
}

extension ModelRules {
    /// A lower-case letter, then lower-case letters, digits and hyphens; at most 63 characters, and not `production`.
    static func check(_ alias: ModelAlias) throws(HubError) {
        guard alias != .production else {
            throw HubError(
                .invalidArgument,
                "The alias production always names the served version; promote a version to serve it."
            )
        }
        guard alias.isValid else {
            throw HubError(
                .invalidArgument,
                "\"\(alias.rawValue.prefix(80))\" cannot be an alias; use up to 63 lower-case letters, digits and hyphens, beginning "
                    + "with a letter."
            )
        }
    }
}
