import Foundation

extension Hub {
    /// Makes the faster form of an evaluated version a version of its model, and serves it with the same threshold.
    ///
    /// A sandboxed process makes the form again. It gets the version's number and is validated like an upload, counts
    /// toward the quota, and appears in the audit log. If a version already has these bytes, the hub serves that version.
    ///
    /// - Returns: The changed model.
    /// - Throws: `.failedPrecondition` if the evaluation compared no faster form, if the hub serves another version by now,
    ///   or if the new file is not the compared one; `.resourceExhausted` if the quota has no room for it.
    func serveFasterVersion(
        of evaluation: EvaluationRecord,
        _ model: ModelRecord,
        by caller: Caller
    ) async throws -> ModelRecord {
        try caller.require(.publisher)
        guard evaluation.state == .done,
            let comparison = try await evaluations.result(of: evaluation, self).rewritten,
            let hash = BlobHash(comparison.candidate.sha256)
        else {
            throw HubError(.failedPrecondition, "This evaluation measured no faster version; evaluate the model again.")
        }
        if model.file?.hash == hash { return model }
        guard let file = model.file, file.version == evaluation.version else {
            throw HubError(
                .failedPrecondition,
                "\(model.displayName) no longer serves version \(evaluation.version); serve that version or evaluate the "
                    + "served version first."
            )
        }
        if let known = try await records.versions(of: model.id).first(where: { $0.hash == hash }) {
            return try await promote(model.id, to: known.number, by: caller)
        }
        let address = try await makeFasterVersion(of: evaluation, as: hash, model, by: caller)
        let faster = try await addVersion(address, toModelNamed: model.displayName, by: caller).version.number
        if let threshold = file.confidenceThreshold {
            _ = try await setConfidenceThreshold(model.id, ofVersion: faster, to: threshold, by: caller)
        }
        return try await promote(model.id, to: faster, by: caller)
    }

    /// Makes a faster form of a version and stores it like an upload.
    ///
    /// - Returns: The address of the object, whose name contains the version's number.
    private func makeFasterVersion(
        of evaluation: EvaluationRecord,
        as hash: BlobHash,
        _ model: ModelRecord,
        by caller: Caller
    ) async throws -> String {
        try await noteUsage(of: caller.project.id)
        let made = try await withPath(of: try await blobs.open(evaluation.hash)) { path in
            try await makeModel(
                ["optimize-model", path],
                of: caller.project,
                words: .init(
                    failure: "The faster version cannot be made",
                    alternative: "Make it with `sightline optimize`."
                )
            )
        }
        defer { withExtendedLifetime(made) {} }
        let summary = try made.finish()
        guard summary.hash == hash else {
            throw HubError(
                .failedPrecondition,
                "This hub makes another faster version than the one that was measured; evaluate the model again."
            )
        }
        let name = "\(model.displayName)/\(hash.text.prefix(12))/faster-form-of-version-\(evaluation.version).tflite"
        return try await keep(
            summary,
            at: made.url,
            entry: made.entry,
            as: ObjectAddress(bucket: "models", name: name),
            contentType: "application/octet-stream",
            by: caller
        ).uri
    }
}
