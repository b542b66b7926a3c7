import ModelHubProtocol
import Synchronization

/// Prepared templates, one for each project.
///
/// A request states the current etag in the database. A template with another etag is never returned, regardless of the
/// process that published it.
final class ConfigCache: Sendable {
    typealias Loaded = (etag: String, config: CompiledConfig)

    private struct Request: Hashable {
        var project: String
        var etag: String
    }

    private let templates = Mutex<[String: Loaded]>([:])
    private let loads = SharedCall<Request, CompiledConfig, any Error>()

    /// The maximum number of templates.
    private static let limit = 256

    /// The template of a project with the given etag, or a newer template; `load` prepares the newest template.
    func config(
        of project: Project,
        etag: String,
        load: @escaping @Sendable () async throws -> Loaded
    ) async throws -> CompiledConfig {
        if let known = templates.withLock({ $0[project.id] }), known.etag == etag { return known.config }
        return try await loads.result(for: Request(project: project.id, etag: etag)) {
            let loaded = try await load()
            self.templates.withLock { templates in
                if templates.count >= Self.limit { templates.removeAll() }
                templates[project.id] = loaded
            }
            return loaded.config
        }
    }
}
