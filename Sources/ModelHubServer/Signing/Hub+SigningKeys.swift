import Foundation
import ModelHubProtocol

/// A signing key whose private part this hub keeps.
struct KeptKey: Sendable {
    var credential: Credential
    var key: SigningKey
}

/// Keys that sign manifests, and the manifests that the hub signs automatically.
extension Hub {
    /// The private parts of the keys that this hub keeps.
    var signingKeys: SigningKeyFolder {
        SigningKeyFolder(folder: uploads.deletingLastPathComponent().appending(path: "signing"))
    }

    /// The valid signing keys of a project, oldest first.
    func validSigningKeys(of project: String) async throws -> [Credential] {
        let time = now()
        return try await records.credentials(of: .project(project)).filter {
            $0.kind == .signing && $0.isValid(at: time)
        }
    }

    /// The oldest valid key of a project whose private part this hub keeps; nil if there is none. A younger key signs after the older one
    /// was revoked or has ended, when all apps trust it.
    ///
    /// - Parameter name: The name of the key, or the beginning of its id; nil for any key.
    func keptKey(of project: String, named name: String? = nil) async throws -> KeptKey? {
        for credential in try await validSigningKeys(of: project)
        where name.map({ credential.name == $0 || credential.id.hasPrefix($0) }) ?? true {
            if let key = try signingKeys.key(credential.id) { return KeptKey(credential: credential, key: key) }
        }
        return nil
    }

    /// Brings the manifests of a model up to date after a change of the model.
    ///
    /// - Throws: If the hub keeps a key of the project but cannot sign with it, or cannot look for one. The change itself is made.
    func renewManifests(
        after old: ModelRecord,
        _ new: ModelRecord,
        _ versions: [ModelVersion],
        by caller: Caller
    ) async throws {
        if old.displayName != new.displayName { try await records.removeManifests(of: new.id) }
        let hashes = Dictionary(versions.map { ($0.number, $0.hash) }) { $1 }
        for (alias, number) in new.signedAliases {
            guard let before = old.version(named: alias).flatMap({ hashes[$0] }), let after = hashes[number],
                before != after
            else { continue }
            try await records.removeOlderManifest(of: new.id, alias, from: before, to: after)
        }
        // Without a key, a failure is not one of signing.
        let key: KeptKey?
        do {
            key = try await keptKey(of: caller.project.id)
        } catch let error as HubError where error.code == .dataLoss {
            throw Self.unsigned(new, error)
        }
        guard let key else { return }
        do {
            try await renewManifests(of: new, caller.project, key, by: caller.actor)
        } catch let error as HubError {
            throw Self.unsigned(new, error)
        }
    }

    /// The failure of a signature after a change, with all that the cause says besides, such as when to try again.
    private static func unsigned(_ model: ModelRecord, _ cause: HubError) -> HubError {
        var error = cause
        error.message =
            "\(model.displayName) was changed, but not signed, so that clients with trusted keys keep their version: \(cause.message)"
        return error
    }

    /// Signs the versions that clients of a model can request, if this hub keeps a key of the project and it is not signed already for long enough.
    func renewManifests(of model: ModelRecord, _ project: Project, by actor: String) async throws {
        guard let key = try await keptKey(of: project.id) else { return }
        try await renewManifests(of: model, project, key, by: actor)
    }

    private func renewManifests(
        of model: ModelRecord,
        _ project: Project,
        _ key: KeptKey,
        by actor: String
    ) async throws {
        let stored = try await records.manifests(of: model.id)
        let rolledOut = try await records.rolledOutVersion(of: model.id)
        for (alias, number) in model.signedAliases {
            let known = stored.map(\.manifest).filter { $0.alias == alias }
            guard let version = try await records.version(number, of: model.id) else { continue }
            let current = known.first { $0.hash == version.hash.text }
            // Versions that were signed ahead of time keep numbers above that of the version before them.
            let later = known.filter { manifest in current.map { $0.serial < manifest.serial } ?? false }
                .sorted { $0.serial < $1.serial }
            var isRenewing = current.map { !isFresh($0, of: version) } ?? true
            if isRenewing {
                _ = try await sign(version, of: model, alias, project, key, lifetime: Self.keptLifetime, by: actor)
            }
            for manifest in later {
                guard let version = try await records.version(manifest.version, of: model.id) else { continue }
                isRenewing = isRenewing || !isFresh(manifest, of: version)
                guard isRenewing else { continue }
                _ = try await sign(version, of: model, alias, project, key, lifetime: Self.keptLifetime, by: actor)
            }
            // Devices of a rollout go from the version of the alias to this one, also after the key changed.
            if alias == .production, let rolledOut, !later.contains(where: { $0.version == rolledOut }),
                let version = try await records.version(rolledOut, of: model.id)
            {
                _ = try await sign(version, of: model, alias, project, key, lifetime: Self.keptLifetime, by: actor)
            }
        }
    }

    /// The time in seconds by which a manifest may be signed ahead of the present. One of a clock that was ahead by more is signed again, because
    /// clients refuse it.
    private static let permittedLead: Int64 = 3600

    /// Whether a manifest describes a version as it is, is not from the future, and has not used up a third of its validity.
    private func isFresh(_ manifest: ModelManifest, of version: ModelVersion) -> Bool {
        let time = now().milliseconds / 1000
        let rest = manifest.expires - time
        return manifest.confidenceThreshold == version.confidenceThreshold
            && manifest.issued <= time + Self.permittedLead
            && rest > (manifest.expires - manifest.issued) / 3 * 2
    }

    /// Renews the manifests of a project's models after a change of its keys.
    ///
    /// - Throws: The first failure, after the other models are signed.
    func signModels(of project: Project, by actor: String) async throws {
        do {
            try await renewManifests(of: project, by: actor)
        } catch let failures as Duties.Failures {
            throw failures.list.first?.error ?? failures
        }
    }

    /// Renews the manifests of a project's models.
    ///
    /// - Throws: The failures of single models, after the others are signed.
    func renewManifests(of project: Project, by actor: String) async throws {
        guard let key = try await keptKey(of: project.id) else { return }
        var duties = Duties()
        var last: Int64 = 0
        while true {
            let models = try await records.models(of: project.id, where: nil, after: last, limit: 100)
            for model in models {
                try await duties.perform(model.displayName) {
                    try await renewManifests(of: model, project, key, by: actor)
                }
            }
            guard models.count == 100, let id = models.last?.id else { return try duties.finish() }
            last = id
        }
    }

    /// Renews the manifests of all models of which this hub keeps a key, in time before they end.
    ///
    /// - Throws: The failures of single projects and models, after the others are signed.
    func renewManifests() async throws {
        var duties = Duties()
        for project in try await records.projects() {
            try await duties.perform(project.id) { try await renewManifests(of: project, by: "hub") }
        }
        try duties.finish()
    }
}
