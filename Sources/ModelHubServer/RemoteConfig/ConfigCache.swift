import Foundation
import Synchronization

/// Prepared templates, one for each project.
///
/// A request states the current etag in the database. A template with another etag is never returned, regardless of the
/// process that published it.
final class ConfigCache: Sendable {
    typealias Loaded = (etag: String, config: CompiledConfig)

    private struct Entry {
        var etag: String
        var config: CompiledConfig?
        /// Later callers wait for the first caller, which loads the template.
        var loading: Task<Loaded, any Error>?
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// The maximum number of templates.
    private static let limit = 256

    /// The template of a project with the given etag, or a newer template; `load` prepares the newest template.
    func config(
        of project: Project,
        etag: String,
        load: @escaping @Sendable () async throws -> Loaded
    ) async throws -> CompiledConfig {
        let (config, loading) = entries.withLock { entries -> (CompiledConfig?, Task<Loaded, any Error>?) in
            if let entry = entries[project.id], entry.etag == etag { return (entry.config, entry.loading) }
            if entries.count >= Self.limit { entries.removeAll() }
            let task = Task { try await load() }
            entries[project.id] = Entry(etag: etag, loading: task)
            return (nil, task)
        }
        if let config { return config }
        guard let loading else { return try await load().config }
        do {
            let loaded = try await loading.value
            entries.withLock { entries in
                guard entries[project.id]?.etag == etag else { return }
                // Later versions are stored under their own etags.
                entries[project.id] = Entry(etag: loaded.etag, config: loaded.config)
            }
            return loaded.config
        } catch {
            entries.withLock { entries in
                if entries[project.id]?.etag == etag { entries[project.id] = nil }
            }
            throw error
        }
    }
}
