import ModelHubProtocol

/// The part of a version of a model that clients see.
package struct ServedModel: Sendable, Hashable {
    /// The number of the model, by which downloads are counted.
    package var id: Int64
    /// The name by which clients download it.
    package var displayName: String
    /// The hash of its contents.
    package var hash: BlobHash
    /// The size in bytes.
    package var byteCount: Int
    /// See ``ModelVersion/confidenceThreshold``.
    package var confidenceThreshold: Double?
}

/// The part of an active rollout that a download needs.
package struct ServedRollout: Sendable, Hashable {
    /// The rollout's id.
    package var id: String
    /// The percentage of devices that get the new version.
    package var share: Double
    /// The new version.
    package var new: ServedModel

    /// The group of an installation, by its id.
    func group(of installation: String) -> RolloutGroup {
        RolloutGroup(place: PercentBucket.place(of: installation, seed: id), share: share)
    }
}

/// The result of a look-up by an API key.
package struct DownloadLookup: Sendable, Hashable {
    /// The id of the key's project.
    package var project: String
    /// The number of the project.
    package var projectNumber: Int64
    /// Whether a download requires an installation token in addition to the API key.
    package var requiresInstallation: Bool
    /// The wanted version of the published model with the name, if any.
    package var model: ServedModel?
    /// The rollout in which some devices get another version instead.
    package var rollout: ServedRollout?
    /// The state of the key, which may have expired.
    package var key: CredentialState
}

extension ModelRecord {
    /// The part of the served version that clients see; nil if the model is not published or serves no version.
    var served: ServedModel? {
        guard isPublished, let file else { return nil }
        return ServedModel(
            id: id,
            displayName: displayName,
            hash: file.hash,
            byteCount: file.byteCount,
            confidenceThreshold: file.confidenceThreshold
        )
    }
}

extension ModelVersion {
    /// The part of a model's version that clients see.
    func served(of model: ModelRecord) -> ServedModel {
        ServedModel(
            id: model.id,
            displayName: model.displayName,
            hash: hash,
            byteCount: byteCount,
            confidenceThreshold: confidenceThreshold
        )
    }
}
