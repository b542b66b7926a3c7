import ModelHubProtocol

/// The manifests of models that are rolled out. An app that trusts keys goes from one version to another only if the manifest of the other
/// version has a higher number, so the hub signs when a rollout starts, and again when devices return.
extension Hub {
    /// Signs the version that a rollout is about to bring to devices, if the model is signed.
    ///
    /// - Throws: `.failedPrecondition` if the hub does not keep the key: a rollout that halts has to sign the earlier version again.
    func signRollout(of model: ModelRecord, to version: ModelVersion, by caller: Caller) async throws {
        let manifests = try await records.manifests(of: model.id).map(\.manifest)
        guard !manifests.isEmpty else { return }
        let current = manifests.first { $0.alias == .production && $0.hash == model.file?.hash.text }
        guard let key = try await keptKey(of: caller.project.id, named: current?.key) else {
            throw HubError(
                .failedPrecondition,
                "\(model.displayName) is signed with a key that this hub does not keep, and a rollout signs when it starts and when it halts; "
                    + "promote the version instead, or sign with a key of the hub (`sightline hub key create --signing NAME`)."
            )
        }
        _ = try await sign(
            version,
            of: model,
            .production,
            caller.project,
            key,
            lifetime: Self.keptLifetime,
            by: caller.actor
        )
    }

    /// Signs the versions to which devices return from rollouts, if this hub keeps a key of their projects. In a fleet, another hub may
    /// have ended the rollout.
    ///
    /// - Throws: The failures of single models, after the others are signed.
    func signReturns() async throws {
        var duties = Duties()
        for project in try await records.projects() {
            try await duties.perform(project.id) {
                var own = Duties()
                for model in try await records.modelsWithUnsignedReturn(of: project.id) {
                    try await own.perform(model.displayName) {
                        try await renewManifests(of: model, project, by: "hub")
                    }
                }
                try own.finish()
            }
        }
        try duties.finish()
    }
}
