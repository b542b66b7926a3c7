import Foundation
import ModelHubProtocol
import Sightline

/// The manifests of models: what their owners sign, so that clients need not trust the hub.
extension Hub {
    /// The validity of manifests that the hub signs with a key that it keeps. It renews them in time.
    static let keptLifetime = Duration.seconds(30 * 24 * 3600)
    /// The usual validity of manifests that are signed outside of the hub.
    static let offlineLifetime = Duration.seconds(180 * 24 * 3600)
    /// The validities that callers can choose.
    private static let lifetimes = Duration.seconds(3600)...Duration.seconds(3650 * 24 * 3600)
    /// The time by which the clocks of signers may be ahead, in milliseconds.
    private static let clockTolerance: Int64 = 24 * 3_600_000

    /// The manifests of the aliases of a model.
    func manifestStatuses(of model: ModelRecord) async throws -> [ManifestStatus] {
        let stored = try await records.manifests(of: model.id)
        var statuses: [ManifestStatus] = []
        for (alias, number) in model.signedAliases where alias != .staging || model.aliases[.staging] != nil {
            guard let version = try await records.version(number, of: model.id) else { continue }
            let found = stored.first { $0.manifest.alias == alias && $0.manifest.hash == version.hash.text }
            statuses.append(ManifestStatus(alias, version, found?.manifest, keyName: found?.keyName, at: now()))
        }
        return statuses
    }

    /// The manifest that a key would sign for a version of a model.
    ///
    /// - Throws: `.failedPrecondition` if it names no key of the project; `.notFound` if there is no such version.
    func preparedManifest(_ plan: ManifestPlan, of model: ModelRecord, by caller: Caller) async throws -> ModelManifest
    {
        try caller.require(.publisher)
        let keys = try await validSigningKeys(of: caller.project.id)
        let candidates = keys.filter { key in plan.key.map { key.id.hasPrefix($0) || key.name == $0 } ?? true }
        guard let key = candidates.first, candidates.count == 1 else {
            throw HubError(
                .failedPrecondition,
                keys.isEmpty
                    ? "The project has no signing key; create one with `sightline hub key create --signing NAME`."
                    : candidates.isEmpty
                        ? "The project has no signing key \"\((plan.key ?? "").prefix(40))\"; it has \(Self.list(keys))."
                        : "The project has several signing keys: \(Self.list(keys)); name one with --key."
            )
        }
        let version = try await version(of: plan, model)
        return try await manifest(
            of: version,
            model,
            plan.alias ?? .production,
            caller.project,
            key,
            lifetime: try Self.lifetime(plan.ttl) ?? Self.offlineLifetime
        )
    }

    /// Signs a version of a model with a key that the hub keeps.
    ///
    /// - Throws: `.failedPrecondition` if the hub keeps no such key.
    func sign(_ plan: ManifestPlan, of model: ModelRecord, by caller: Caller) async throws -> SignedManifest {
        try caller.require(.publisher)
        guard let key = try await keptKey(of: caller.project.id, named: plan.key) else {
            throw HubError(
                .failedPrecondition,
                "This hub keeps no \(plan.key == nil ? "" : "such ")signing key of the project; create one with `sightline hub key create "
                    + "--signing NAME`, or sign with the file of a key that is kept elsewhere (--key-file)."
            )
        }
        return try await sign(
            try await version(of: plan, model),
            of: model,
            plan.alias ?? .production,
            caller.project,
            key,
            lifetime: try Self.lifetime(plan.ttl) ?? Self.keptLifetime,
            by: caller.actor
        )
    }

    /// Signs a version of a model for an alias.
    func sign(
        _ version: ModelVersion,
        of model: ModelRecord,
        _ alias: ModelAlias,
        _ project: Project,
        _ key: KeptKey,
        lifetime: Duration,
        by actor: String
    ) async throws -> SignedManifest {
        for _ in 0..<16 {
            let manifest = try await manifest(of: version, model, alias, project, key.credential, lifetime: lifetime)
            let signed = try key.key.sign(manifest)
            let entry = audit(manifest, of: model, keyName: key.credential.name, by: actor)
            if try await records.add(manifest, signed: signed.data, of: model.id, audit: entry) { return signed }
        }
        throw HubError(.aborted, "Too many callers sign the model at the same time; try again.")
    }

    /// Stores a manifest that was signed outside of the hub.
    ///
    /// - Throws: `.invalidArgument` unless a signing key of the project signed it, and it describes a version of the model in its present state.
    func addManifest(_ text: String, to model: ModelRecord, by caller: Caller) async throws {
        try caller.require(.publisher)
        let signed: SignedManifest
        let manifest: ModelManifest
        do throws(ManifestFormatError) {
            signed = try SignedManifest(Data(text.utf8))
            manifest = try signed.manifest()
        } catch {
            throw HubError(.invalidArgument, "The manifest cannot be read: \(error); sign one that this hub prepared.")
        }
        let keys = try await validSigningKeys(of: caller.project.id)
        guard let key = keys.first(where: { $0.id == manifest.key }) else {
            throw HubError(
                .invalidArgument,
                "The key \(manifest.key.prefix(12)) is not a valid signing key of the project; `sightline hub key list` shows the keys."
            )
        }
        guard let publicKey = key.publicKey.flatMap({ SigningKeyID.publicKey($0) }),
            SigningKey.signed(signed, publicKey: publicKey)
        else {
            throw HubError(
                .invalidArgument,
                "The signature is not one of the key \(key.name); sign the manifest again."
            )
        }
        try await check(manifest, of: model, caller.project)
        let entry = audit(manifest, of: model, keyName: key.name, by: caller.actor)
        if try await records.add(manifest, signed: signed.data, of: model.id, audit: entry) { return }
        // The same manifest once more is not a mistake.
        guard let hash = BlobHash(manifest.hash),
            try await records.manifest(of: model.id, manifest.alias, hash) == signed.data
        else {
            throw HubError(
                .failedPrecondition,
                "A manifest with a higher number than \(manifest.serial) exists for \(model.displayName); prepare and sign a new one."
            )
        }
    }

    /// Checks that a manifest describes a version of a model as it is now.
    private func check(_ manifest: ModelManifest, of model: ModelRecord, _ project: Project) async throws {
        func refuse(_ reason: String) throws(HubError) {
            throw HubError(.invalidArgument, "The manifest \(reason); prepare and sign a new one.")
        }
        guard manifest.project == project.id, manifest.projectNumber == project.number,
            manifest.name == model.displayName
        else { return try refuse("is for \(manifest.name) of the project \(manifest.project)") }
        guard let version = try await records.version(manifest.version, of: model.id),
            version.hash.text == manifest.hash, version.byteCount == manifest.byteCount
        else { return try refuse("describes another file than version \(manifest.version)") }
        guard version.confidenceThreshold == manifest.confidenceThreshold else {
            return try refuse("has another threshold than version \(manifest.version)")
        }
        try Self.check(manifest.alias, of: model)
        let time = now()
        let (latest, lifetime) = (time.milliseconds + Self.clockTolerance, manifest.expires - manifest.issued)
        // After a clock that was ahead, numbers continue from its time.
        let next = try await records.lastSerial(of: model.id, manifest.alias).map { $0 + 1 } ?? 0
        guard manifest.issued <= latest / 1000, manifest.serial <= max(latest, next) else {
            return try refuse("is from the future")
        }
        guard manifest.expires > time.milliseconds / 1000 else { return try refuse("has ended") }
        guard lifetime > 0, Duration.seconds(lifetime) <= Self.lifetimes.upperBound else {
            return try refuse("is valid for longer than ten years")
        }
    }

    /// The manifest of a version, with a number above those of its alias.
    private func manifest(
        of version: ModelVersion,
        _ model: ModelRecord,
        _ alias: ModelAlias,
        _ project: Project,
        _ key: Credential,
        lifetime: Duration
    ) async throws -> ModelManifest {
        try Self.check(alias, of: model)
        let time = now()
        let end = min(time.advanced(by: lifetime), key.expiry ?? Timestamp(milliseconds: .max))
        let last = try await records.lastSerial(of: model.id, alias) ?? 0
        return ModelManifest(
            project: project.id,
            projectNumber: project.number,
            name: model.displayName,
            alias: alias,
            version: version.number,
            byteCount: version.byteCount,
            hash: version.hash.text,
            labels: version.labelsDigest,
            confidenceThreshold: version.confidenceThreshold,
            serial: max(last + 1, time.milliseconds),
            issued: time.milliseconds / 1000,
            expires: end.milliseconds / 1000,
            key: key.id
        )
    }

    private static func list(_ keys: [Credential]) -> String {
        keys.prefix(10).map { "\($0.name) (\($0.id.prefix(12)))" }.joined(separator: ", ")
    }

    /// Only aliases that clients can ask for are signed, of which a model has few.
    private static func check(_ alias: ModelAlias, of model: ModelRecord) throws(HubError) {
        guard alias == .production || alias == .staging || model.aliases[alias] != nil else {
            throw HubError(
                .failedPrecondition,
                "\(model.displayName) has no alias \"\(alias.rawValue.prefix(80))\"; set it with `sightline hub alias set`, then sign."
            )
        }
    }

    /// The version that a plan names, or that its alias names.
    private func version(of plan: ManifestPlan, _ model: ModelRecord) async throws -> ModelVersion {
        let alias = plan.alias ?? .production
        guard let number = plan.version ?? model.version(named: alias) else {
            throw HubError(
                .failedPrecondition,
                "The alias \(alias.rawValue.prefix(64)) of \(model.displayName) names no version; name the version to sign."
            )
        }
        return try await records.versions(of: model.id).version(number, of: model)
    }

    private static func lifetime(_ text: String?) throws(HubError) -> Duration? {
        guard let lifetime = try KeyRoutes.lifetime(text) else { return nil }
        guard lifetimes.contains(lifetime) else {
            throw HubError(.invalidArgument, "A manifest can be valid for one hour to ten years; choose such a time.")
        }
        return lifetime
    }

    private func audit(
        _ manifest: ModelManifest,
        of model: ModelRecord,
        keyName: String,
        by actor: String
    ) -> AuditEntry {
        AuditEntry(
            time: now(),
            project: model.project,
            actor: actor,
            action: "model.sign",
            target: model.resourceName,
            detail:
                "version \(manifest.version), alias \(manifest.alias), number \(manifest.serial), key \(keyName), until "
                + ManifestTime.text(manifest.expires)
        )
    }
}

extension ModelRecord {
    /// The versions that clients can ask for, by the alias with which they ask.
    var signedAliases: [(alias: ModelAlias, version: Int)] {
        let others = aliases.keys.filter { $0 != .staging }.sorted { $0.rawValue < $1.rawValue }
        return ([.production, .staging] + others).compactMap { alias in version(named: alias).map { (alias, $0) } }
    }
}

extension ModelVersion {
    /// The digest of its labels; nil if the hub does not know all of them.
    var labelsDigest: String? { described?.labelsDigest }

    /// Its description; nil if the hub has none.
    var described: ModelInspection? {
        try? JSONDecoder().decode(ModelInspection.self, from: Data(inspection.utf8))
    }
}

extension ModelInspection {
    /// The digest of the labels in manifests; nil if there are none, or not all are known.
    package var labelsDigest: String? {
        guard let labels, labels.count > 0, labels.first.count == labels.count else { return nil }
        return ModelManifest.digest(ofLabels: labels.first)
    }
}
