import ModelHubProtocol

/// The rollout of a model in a hub's answer: its id, and the part of this installation.
struct RolloutPart: Sendable, Hashable {
    enum Group: String, Sendable {
        /// The installation gets the new version, and its results are compared.
        case new
        /// The installation keeps the old version, and its results are compared.
        case old
        case uncompared
        /// The request had no valid installation token.
        case unidentified
    }

    let id: String
    let group: Group

    /// Reads the header of a response; nil without a rollout, or if a newer hub wrote something else.
    init?(_ headers: HeaderFields) {
        let words = headers.first(name: HubHeader.rollout)?.split(separator: " ") ?? []
        guard words.count == 2, words[0].utf8.count <= 40, let group = Group(rawValue: String(words[1])) else {
            return nil
        }
        (id, self.group) = (String(words[0]), group)
    }

    /// The assignment for reports; nil if the results are not compared.
    var assignment: ExperimentAssignment? {
        switch group {
        case .new, .old: ExperimentAssignment(experimentID: id, variantID: group.rawValue, parameters: [])
        case .uncompared, .unidentified: nil
        }
    }
}
