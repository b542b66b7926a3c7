import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubProtocol

extension HubConnection {
    /// The model with a display name or id, with its versions.
    func details(of name: String) async throws -> ModelDetails {
        try Self.details(try await send(.get, extensions("models", name) + "?pageSize=1000"))
    }

    private static func details(_ data: Data) throws -> ModelDetails {
        try HubConnection.decoded(ModelDetails.self, from: data)
    }

    /// Uploads a file and makes it a version, which is not served, of the model with a display name. The hub creates the
    /// model if there is none.
    func addVersion(_ package: ModelPackage, toModelNamed name: String) async throws -> AddedVersion {
        let body = NewVersion(gcsTfliteUri: try await store(package, of: name))
        let reply = try await send(.post, extensions("models", name, "versions"), json: body)
        return try HubConnection.decoded(AddedVersion.self, from: reply)
    }

    /// Sets the confidence below which clients drop results of a version; nil removes it.
    func setConfidenceThreshold(_ threshold: Double?, ofVersion number: Int, of name: String) async throws {
        try await send(
            .patch,
            extensions("models", name, "versions", "\(number)"),
            json: VersionChange(confidenceThreshold: threshold)
        )
    }

    /// Replaces the notes of a version.
    func setNotes(_ notes: String, ofVersion number: Int, of name: String) async throws {
        try await send(
            .put,
            extensions("models", name, "versions", "\(number)", "notes"),
            json: VersionNotes(notes: notes)
        )
    }

    /// Changes the description, license or author of a model.
    func changeCard(of name: String, _ change: ModelCardChange) async throws {
        try await send(.patch, extensions("models", name, "card"), json: change)
    }

    /// Serves a version; nil for the staged version.
    @discardableResult
    func promote(_ name: String, to number: Int?) async throws -> ModelDetails {
        try Self.details(
            try await send(.post, extensions("models", name, verb: ":promote"), json: VersionChoice(version: number))
        )
    }

    /// Serves a version, as ``promote(_:to:)`` does, and warns if it has other labels or another format than the served version had.
    @discardableResult
    func promoteWarning(_ name: String, to number: Int?) async throws -> ModelDetails {
        let before = try await details(of: name)
        let after = try await promote(name, to: number)
        if let old = before.servedVersion, let new = after.servedVersion, before.format(of: old) == .tensorFlowLite,
            after.format(of: new) == .onnx
        {
            StandardError.report(
                "warning: Version \(new) is an ONNX model, which Firebase's clients do not read; they keep version \(old). "
                    + "`sightline hub promote \(name) \(old)` returns to version \(old)."
            )
        }
        if let old = before.servedVersion, let new = after.servedVersion,
            let change = before.labelChange(from: old, to: new)
        {
            StandardError.report(
                "warning: \(change) `sightline hub promote \(name) \(old)` returns to version \(old)."
            )
        }
        return after
    }

    /// Lets an alias name a version.
    func setAlias(_ alias: ModelAlias, of name: String, to number: Int) async throws {
        try await send(
            .put,
            extensions("models", name, "aliases", alias.rawValue),
            json: VersionChoice(version: number)
        )
    }

    /// Removes an alias.
    func removeAlias(_ alias: ModelAlias, of name: String) async throws {
        try await send(.delete, extensions("models", name, "aliases", alias.rawValue))
    }
}

/// A text that is not an alias is a wrong command line.
extension ModelAlias: ExpressibleByArgument {
    /// Creates an alias from a word of the command line.
    public init?(argument: String) {
        self.init(rawValue: argument)
        if !isValid { return nil }
    }
}
