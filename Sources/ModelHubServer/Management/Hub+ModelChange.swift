import ModelHubProtocol

extension Hub {
    /// Reads a model, changes it and writes it back; repeats the change if the model changed meanwhile. Then the hub signs what clients
    /// can ask for, if it keeps a signing key of the project.
    ///
    /// - Parameters:
    ///   - action: The name of the change in the audit log.
    ///   - body: Changes the model. It gets the model's versions and the time, and returns a version that is new or has
    ///     another threshold or other notes, if there is one.
    func change(
        _ id: Int64,
        by caller: Caller,
        _ action: String,
        _ body: (inout ModelRecord, [ModelVersion], Timestamp) throws -> ModelVersion?
    ) async throws -> ModelRecord {
        for _ in 0..<16 {
            guard let old = try await records.model(id, of: caller.project.id) else { throw notFound(id, caller) }
            let versions = try await records.versions(of: id)
            var new = old
            let time = now()
            let version = try body(&new, versions, time)
            guard new != old || version != nil else { return old }
            try await checkExperiments(whenServing: new, insteadOf: old, by: caller)
            new.updateTime = max(time, old.updateTime.advanced(by: .milliseconds(1)))
            new.etag = Self.makeEtag()
            let isDone = try await records.update(
                new,
                replacing: old.etag,
                version: version,
                audit: audit(
                    caller,
                    action,
                    new.resourceName,
                    Self.difference(old, new, version, versions),
                    event: Self.event(old, new)
                )
            )
            if isDone {
                try await renewManifests(after: old, new, versions + [version].compactMap(\.self), by: caller)
                return new
            }
        }
        throw HubError(.aborted, "Too many callers change the model at the same time; try again.")
    }

    func notFound(_ id: Int64, _ caller: Caller) -> HubError {
        HubError(.notFound, "Model 'projects/\(caller.project.id)/models/\(id)' was not found")
    }

    /// The event of a change; nil if webhooks do not notify of it.
    private static func event(_ old: ModelRecord, _ new: ModelRecord) -> WebhookEvent? {
        if old.isPublished != new.isPublished { return new.isPublished ? .modelPublished : .modelUnpublished }
        if let file = new.file, file.version != old.file?.version { return .modelPromoted }
        if let staged = new.aliases[.staging], staged != old.aliases[.staging] { return .modelStaged }
        return nil
    }

    /// The changes, for the audit log.
    ///
    /// - Parameters:
    ///   - version: A version that is new or has another threshold or other notes, if there is one.
    ///   - versions: The versions before the change.
    private static func difference(
        _ old: ModelRecord,
        _ new: ModelRecord,
        _ version: ModelVersion?,
        _ versions: [ModelVersion]
    ) -> String {
        var parts: [String] = []
        if old.displayName != new.displayName { parts.append("displayName \(new.displayName)") }
        if old.tags != new.tags { parts.append("tags \(new.tags.joined(separator: " "))") }
        if let file = new.file, old.file?.version != file.version {
            parts.append("version \(file.version), hash \(file.hash)")
            if let threshold = file.confidenceThreshold { parts.append("confidence threshold \(threshold)") }
            let known = versions + [version].compactMap(\.self)
            if let change = known.labelChange(from: old.file?.version, to: file.version) { parts.append(change) }
        } else if let version, let known = versions.first(where: { $0.number == version.number }) {
            parts.append("version \(version.number)")
            if known.confidenceThreshold != version.confidenceThreshold {
                parts.append("confidence threshold \(version.confidenceThreshold.map { "\($0)" } ?? "none")")
            }
            if known.notes != version.notes { parts.append(version.notes.isEmpty ? "notes removed" : "notes") }
        } else if let version {
            parts.append("version \(version.number), hash \(version.hash)")
        }
        for alias in Set(old.aliases.keys).union(new.aliases.keys).sorted(by: { $0.rawValue < $1.rawValue })
        where old.aliases[alias] != new.aliases[alias] {
            parts.append("alias \(alias) \(new.aliases[alias].map { "of version \($0)" } ?? "removed")")
        }
        let texts: [(String, KeyPath<ModelCard, String>)] = [
            ("description", \.description), ("license", \.license), ("author", \.author),
        ]
        for (name, text) in texts where old.card[keyPath: text] != new.card[keyPath: text] {
            // The description can be long.
            let isShort = text != \.description && !new.card[keyPath: text].isEmpty
            parts.append(isShort ? "\(name) \(new.card[keyPath: text])" : name)
        }
        if old.isPublished != new.isPublished { parts.append(new.isPublished ? "published" : "unpublished") }
        if let error = new.validationError, old.validationError != error { parts.append("error \(error.message)") }
        return parts.joined(separator: ", ")
    }
}
