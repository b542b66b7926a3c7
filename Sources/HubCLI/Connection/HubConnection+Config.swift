import CommandLineSupport
import Foundation
import HTTPTypes
import ModelHubProtocol
import ModelHubServer

/// A version of a template from a hub.
struct FetchedTemplate {
    var template: ConfigTemplate
    var version: String
    var etag: String
}

extension HubConnection {
    private struct VersionOnly: Decodable {
        struct Version: Decodable {
            var versionNumber: String?
        }

        /// Nil for a template that was only checked.
        var version: Version?
    }

    /// The path of a namespace's template.
    func configPath(_ namespace: ConfigNamespace, verb: String = "") -> String {
        "/v1/projects/\(Self.encoded(project))/namespaces/\(namespace.rawValue)/remoteConfig\(verb)"
    }

    /// Fetches a version of the template, by default the newest.
    func template(_ version: String? = nil, in namespace: ConfigNamespace) async throws -> FetchedTemplate {
        let query = version.map { "?versionNumber=\(Self.encoded($0))" } ?? ""
        return try fetched(try await exchange(.get, configPath(namespace) + query))
    }

    /// Publishes a template, or only checks it.
    ///
    /// - Returns: nil if another version was published in the meantime.
    func publish(
        _ template: ConfigTemplate,
        message: String?,
        replacing etag: String,
        onlyCheck isChecked: Bool,
        in namespace: ConfigNamespace
    ) async throws -> FetchedTemplate? {
        struct Body: Encodable {
            enum Key: String, CodingKey {
                case version
            }

            var template: ConfigTemplate
            var message: String?

            func encode(to encoder: any Encoder) throws {
                try template.encode(to: encoder)
                var container = encoder.container(keyedBy: Key.self)
                if let message { try container.encode(["description": message], forKey: .version) }
            }
        }
        let reply = try await exchange(
            .put,
            configPath(namespace) + (isChecked ? "?validate_only=true" : ""),
            headers: [.contentType: "application/json", .ifMatch: etag],
            body: try JSONEncoder().encode(Body(template: template, message: message))
        )
        return reply.status == 412 ? nil : try fetched(reply)
    }

    /// Publishes an earlier version again.
    func rollBack(to version: String, in namespace: ConfigNamespace) async throws -> FetchedTemplate {
        try fetched(
            try await exchange(
                .post,
                configPath(namespace, verb: ":rollback"),
                headers: [.contentType: "application/json"],
                body: try JSONEncoder().encode(["versionNumber": version])
            )
        )
    }

    /// The models of the project, beside which values of Remote Config are checked.
    func modelParameters() async throws -> ModelParameters {
        var models: [String: Bool] = [:]
        try await self.models { page in
            for model in page { models[model.displayName] = model.state?.published == true }
        }
        return ModelParameters(models)
    }

    /// Warns about values of a parameter that should be names of models, and are not.
    func warn(about parameter: String) async throws {
        let template = try await template(in: .client).template
        StandardError.warn(try await modelParameters().problems(of: parameter, in: template))
    }

    /// Warns about values of Remote Config that name a model which apps can no longer download.
    func warn(aboutUsesOf model: ModelResource) async throws {
        let uses = try await template(in: .client).template.uses(ofModel: model.displayName)
        if !uses.isEmpty {
            StandardError.warn(["Remote Config names \(model.displayName): \(uses.joined(separator: "; "))."])
        }
    }

    private func fetched(_ reply: Exchange) throws -> FetchedTemplate {
        let data = try Self.checked(reply.body, status: reply.status)
        return FetchedTemplate(
            template: try ConfigTemplate(json: String(decoding: data, as: UTF8.self)),
            version: try Self.decoded(VersionOnly.self, from: data).version?.versionNumber ?? "0",
            etag: reply.headers[.eTag] ?? ""
        )
    }
}

extension StandardError {
    /// Writes a line for each warning.
    static func warn(_ warnings: [String]) {
        for warning in warnings { report("Warning: \(warning)") }
    }
}
