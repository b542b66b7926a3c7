import ModelHubProtocol

extension ManifestStatus {
    /// The problem of the manifest, and the next step; nil if there is no problem.
    ///
    /// - Parameters:
    ///   - model: The model of the manifest.
    ///   - isKept: Whether the hub keeps a key of the project, with which it signs automatically.
    func warning(of model: ModelRecord, isKept: Bool) -> String? {
        if isKept, !model.isPublished {
            return state == .unsigned && alias == .production
                ? "Version \(version) is not signed yet. The hub signs it when you publish \(model.displayName)." : nil
        }
        let subject = "Version \(version) for the alias \(alias)"
        let end = manifest.map { ConsoleText.time(Timestamp(milliseconds: $0.expires * 1000)) } ?? ""
        let remedy =
            isKept
            ? "The hub signs it automatically within an hour; sightline hub sign signs it now."
            : "Sign it with sightline hub sign."
        return switch state {
        case .valid: nil
        case .unsigned: "\(subject) is not signed, so apps with trusted keys do not install it. \(remedy)"
        case .endsSoon: "The signature of version \(version) for the alias \(alias) ends on \(end) (UTC). \(remedy)"
        case .ended: "The signature of version \(version) for the alias \(alias) ended on \(end) (UTC). \(remedy)"
        case .outdated: "\(subject) was signed with another threshold, which apps with trusted keys use. \(remedy)"
        }
    }
}
