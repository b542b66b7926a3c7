import Synchronization

/// Parsed templates, so that the hub parses a version once and not for every request.
final class TemplateCache: Sendable {
    private struct Key: Hashable {
        var project: String
        var namespace: ConfigNamespace
        var etag: String
    }

    private struct State {
        var templates: [Key: ConfigTemplate] = [:]
        /// The size of the JSON of all templates in bytes.
        var byteCount = 0
    }

    private let state = Mutex(State())

    /// The maximum of `byteCount`. A template takes several times the memory of its JSON.
    private static let limit = 8 << 20

    /// The template of a stored version.
    func template(_ stored: StoredTemplate, in namespace: ConfigNamespace, of project: String) throws -> ConfigTemplate
    {
        let key = Key(project: project, namespace: namespace, etag: stored.etag)
        if let template = state.withLock({ $0.templates[key] }) { return template }
        let template = try ConfigTemplate(stored: stored.json)
        state.withLock { state in
            let byteCount = stored.json.utf8.count
            if state.byteCount + byteCount > Self.limit { state = State() }
            if state.templates.updateValue(template, forKey: key) == nil { state.byteCount += byteCount }
        }
        return template
    }
}
