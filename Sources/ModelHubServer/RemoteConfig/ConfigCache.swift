import Foundation
import Synchronization

/// Templates that were made ready, one for each project.
///
/// A request says which etag the database has now; another one's template is not given out, whichever process published it.
final class ConfigCache: Sendable {
    typealias Loaded = (etag: String, config: CompiledConfig)

    private struct Entry {
        var etag: String
        var config: CompiledConfig?
        /// Those who ask meanwhile wait for the one who loads.
        var loading: Task<Loaded, any Error>?
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// How many projects' templates are kept.
    private static let limit = 256

    /// The template of a project with an etag, or a newer one; `load` makes the newest ready.
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
                // What was published since is under its own etag.
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
