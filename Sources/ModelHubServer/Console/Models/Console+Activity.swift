import Hummingbird

/// The page with the audit log.
extension Console {
    private struct ActivityPage: Sendable {
        struct Row: Sendable {
            var time: ConsoleTime
            var actor: String
            /// The action in words, and its name in the API.
            var action: String
            var actionName: String
            var target: String
            var wholeTarget: String
            /// The target's page; empty if it has none.
            var path: String
            var detail: String
        }

        struct Choice: Sendable {
            var value: String
            var title: String
            var isChosen: Bool
        }

        var choices: [Choice]
        var rows: [Row]
        var newer: String?
        var older: String?
        var hasPages: Bool
    }

    /// A selection of the entries.
    private struct ActivityFilter: Sendable {
        var value: String
        var title: String
        /// Whether an action belongs to the selection.
        var includes: @Sendable (_ area: Substring) -> Bool

        /// The first is the default: sign-ins change nothing, and an upload precedes the change of its model.
        static let all = [
            ActivityFilter(value: "", title: "Changes without sign-ins and uploads") {
                !["console", "object"].contains($0)
            },
            ActivityFilter(value: "models", title: "Models") { ["model", "object", "evaluation"].contains($0) },
            ActivityFilter(value: "config", title: "Remote Config and experiments") {
                ["config", "experiment"].contains($0)
            },
            ActivityFilter(value: "access", title: "People, keys and sign-ins") {
                ["person", "key", "token", "project", "session", "console"].contains($0)
            },
            ActivityFilter(value: "all", title: "Everything") { _ in true },
        ]
    }

    private static let rowsOfActivity = 30
    /// The maximum number of entries that a page looks at.
    private static let maximumActivity = 2000

    @Sendable
    func activity(_ visit: ConsoleVisit) async throws -> Response {
        let fields = visit.request.query
        let filter = ActivityFilter.all.first { $0.value == fields["show"] } ?? ActivityFilter.all[0]
        let number = max(1, min(fields["page"].flatMap { Int($0) } ?? 1, Self.maximumActivity))
        let project = visit.caller.project.id
        let entries = try await hub.records.auditLog(of: project, limit: Self.maximumActivity).filter { entry in
            filter.includes(entry.action.prefix { $0 != "." })
        }
        let start = min((number - 1) * Self.rowsOfActivity, entries.count)
        let shown = entries[start..<min(start + Self.rowsOfActivity, entries.count)]
        let models = try await models(in: Array(shown), of: project)
        func path(ofPage page: Int) -> String { "/console/activity?show=\(filter.value)&page=\(page)" }
        let newer = number > 1 ? path(ofPage: number - 1) : nil
        let older = start + shown.count < entries.count ? path(ofPage: number + 1) : nil
        return .page(
            "activity",
            ConsoleChrome(title: "Activity", visit: visit),
            ActivityPage(
                choices: ActivityFilter.all.map {
                    .init(value: $0.value, title: $0.title, isChosen: $0.value == filter.value)
                },
                rows: shown.map { Self.row($0, of: project, models) },
                newer: newer,
                older: older,
                hasPages: newer != nil || older != nil
            )
        )
    }

    /// A model that entries concern.
    private struct NamedModel {
        var name: String
        var exists: Bool
    }

    /// The models that entries concern, by their ids. The names of deleted models are in the entries.
    private func models(in entries: [AuditEntry], of project: String) async throws -> [String: NamedModel] {
        var models: [String: NamedModel] = [:]
        for entry in entries {
            // The newest entry, which is the first, has the last name.
            guard let id = Self.parts(of: entry.target, project).model, models[id] == nil,
                let name = entry.detail.firstMatch(of: /^displayName ([^,]+)/)?.1
            else { continue }
            models[id] = NamedModel(name: String(name), exists: false)
        }
        for id in Set(entries.compactMap { Self.parts(of: $0.target, project).model }) {
            guard let number = try? ModelRecord.id(id),
                let model = try await hub.records.model(number, of: project)
            else { continue }
            models[id] = NamedModel(name: model.displayName, exists: true)
        }
        return models
    }

    private static func row(_ entry: AuditEntry, of project: String, _ models: [String: NamedModel])
        -> ActivityPage.Row
    {
        let (text, id) = parts(of: entry.target, project)
        let model = id.flatMap { models[$0] }
        let isConfig = text == "namespaces/firebase/remoteConfig"
        let path = isConfig ? configPath : model?.exists == true ? "/console/models/\(id ?? "")" : ""
        return .init(
            time: ConsoleTime(entry.time),
            actor: ConsoleChrome.name(of: entry.actor),
            action: ActivityText.title(of: entry.action),
            actionName: entry.action,
            target: isConfig ? "Remote Config" : model?.name ?? ActivityText.shortened(text),
            wholeTarget: text,
            path: path,
            detail: ActivityText.shortened(entry.detail)
        )
    }

    /// A target without its project, and the id of the model that it names.
    private static func parts(of target: String, _ project: String) -> (text: String, model: String?) {
        let prefix = "projects/\(project)/"
        let text = target.hasPrefix(prefix) ? String(target.dropFirst(prefix.count)) : target
        let parts = text.split(separator: "/")
        return (text, parts.count > 1 && parts[0] == "models" ? String(parts[1]) : nil)
    }
}
