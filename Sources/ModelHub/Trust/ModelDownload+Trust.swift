import Foundation
import ModelHubProtocol

/// The part of a download that trusts a hub only in statements that the owner of the model signed.
extension ModelDownload {
    private var keys: [TrustedKey] { client.configuration.trustedKeys }

    /// The hub's answer about the version that an alias names, with the threshold of its manifest if the app trusts keys.
    ///
    /// - Parameter known: The downloaded version, if any.
    func approvedAnswer(
        known: DownloadedModel?,
        _ attempts: inout Attempts
    ) async throws(HubFailure) -> HubClient.Answer {
        let first = try await answer(known: known, &attempts)
        do throws(HubFailure) {
            return try await approved(first, &attempts)
        } catch {
            // The alias may have moved to another version between the two responses.
            guard case .untrusted(let problem) = error, problem.mayComeFromAMove else { throw error }
            let second = try await answer(known: nil, &attempts)
            guard second.hash != first.hash else { throw error }
            return try await approved(second, &attempts)
        }
    }

    private func answer(
        known: DownloadedModel?,
        _ attempts: inout Attempts
    ) async throws(HubFailure) -> HubClient.Answer {
        try await attempts.run { () async throws(HubFailure) in try await client.info(of: model, known: known) }
    }

    /// A description of a version, once its manifest is verified and noted.
    func approved(_ info: ModelInfo) async throws(HubFailure) -> ModelInfo {
        if keys.isEmpty { return info }
        let manifest = try await self.manifest(for: info.hash, byteCount: info.size, info.manifest)
        var info = info
        info.confidenceThreshold = manifest.confidenceThreshold.map { Float($0) }
        info.isApproved = true
        return info
    }

    private func approved(
        _ answer: HubClient.Answer,
        _ attempts: inout Attempts
    ) async throws(HubFailure) -> HubClient.Answer {
        switch answer {
        case .changed(let info):
            return .changed(
                try await attempts.run { () async throws(HubFailure) in try await approved(info) }
            )
        case .unchanged(let known, let threshold, let assignment, let received):
            if keys.isEmpty { return answer }
            // The manifest that was seen is enough until it ends. The hub's threshold only says that there is a newer one.
            let seen = try store.seenManifest(of: model)
            if threshold == known.confidenceThreshold, seen.hash == known.hash, let key = seen.key,
                keys.contains(where: { $0.id == key }), seen.expires.map(check.isCurrent) == true
            {
                return answer
            }
            let manifest = try await attempts.run { () async throws(HubFailure) in
                try await self.manifest(for: known.hash, byteCount: known.size, received)
            }
            return .unchanged(
                known,
                confidenceThreshold: manifest.confidenceThreshold.map { Float($0) },
                assignment: assignment
            )
        }
    }

    private var check: ManifestCheck {
        let configuration = client.configuration
        return ManifestCheck(
            keys: keys,
            project: configuration.projectID,
            model: model,
            now: Date().addingTimeInterval(configuration.clockOffset)
        )
    }

    /// The verified manifest of a file, which is noted as seen.
    ///
    /// - Parameter received: The manifest that came with the description; nil to ask for it.
    private func manifest(
        for hash: String,
        byteCount: Int,
        _ received: Data?
    ) async throws(HubFailure) -> ModelManifest {
        let data: Data
        if let received { data = received } else { data = try await client.manifest(of: model, hash: hash) }
        let manifest: ModelManifest
        do throws(ManifestProblem) { manifest = try check.manifest(data) } catch { throw .untrusted(error) }
        guard manifest.hash == hash else {
            throw .untrusted(
                .wrongFile(
                    reason: "its SHA-256 is \(manifest.hash.prefix(12))…, but the hub offers \(hash.prefix(12))…"
                )
            )
        }
        guard manifest.byteCount == byteCount else {
            throw .untrusted(
                .wrongFile(reason: "its size is \(manifest.byteCount) bytes, but the hub offers \(byteCount)")
            )
        }
        try store.accept(manifest, of: model, trusting: keys)
        return manifest
    }
}

extension HubClient.Answer {
    /// The SHA-256 of the version.
    fileprivate var hash: String {
        switch self {
        case .changed(let info): info.hash
        case .unchanged(let known, _, _, _): known.hash
        }
    }
}

extension ManifestProblem {
    /// Whether a hub that is honest gives such a manifest if an alias moves between two requests.
    fileprivate var mayComeFromAMove: Bool {
        switch self {
        case .unsigned, .wrongFile: true
        default: false
        }
    }
}
