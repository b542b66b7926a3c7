import ModelHubProtocol

/// For servers, whose requests come from many users: each share of them is an installation of its own for the hub.
extension ModelManager {
    /// The version that the hub gives to an installation, which is not downloaded yet.
    package struct Offer: Sendable, Hashable {
        /// The SHA-256 of the file, as 64 lowercase hexadecimal digits.
        package var hash: String
        /// Whether a rollout of the model is under way.
        package var isRolledOut: Bool
        /// The rollout and the group of the installation; nil if its results are not compared.
        package var assignment: ExperimentAssignment?
    }

    /// Asks which version the hub gives to this installation.
    ///
    /// - Throws: Any ``DownloadError`` but those of files.
    package nonisolated func offer(of model: RemoteModel) async throws(DownloadError) -> Offer {
        try model.check()
        do throws(HubFailure) {
            guard case .changed(let info) = try await client.info(of: model, known: nil) else {
                throw .invalidReply(reason: "the hub answered 304 although no model is cached")
            }
            return Offer(hash: info.hash, isRolledOut: info.rollout != nil, assignment: info.assignment)
        } catch {
            throw DownloadError(error, of: model, place: client.place)
        }
    }

    /// The manager of another installation, whose folder is in this manager's.
    package nonisolated func installation(named name: String) -> ModelManager {
        ModelManager(
            configuration: configuration,
            folder: folder.appending(path: "installations/\(name)"),
            retry: retry
        )
    }
}
