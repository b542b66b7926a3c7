import Foundation
import Hummingbird
import TextFormatting

/// Pages with the template as JSON, and with its versions.
extension Console {
    private struct JSONPage: Sendable {
        var json: String
        var etag: String
        var version: String
        var canChange: Bool
    }

    @Sendable
    func jsonPage(_ visit: ConsoleVisit) async throws -> Response {
        let stored = try await hub.storedTemplate(by: visit.caller)
        return jsonPage(
            visit,
            JSONText.indented(stored.json),
            etag: stored.etag,
            version: "\(stored.version.number)"
        )
    }

    private func jsonPage(
        _ visit: ConsoleVisit,
        _ json: String,
        etag: String,
        version: String,
        error: HubError? = nil
    ) -> Response {
        .page(
            "config-json",
            ConsoleChrome(title: "Remote Config as JSON", visit: visit, error: error),
            JSONPage(json: json, etag: etag, version: version, canChange: visit.caller.role >= .publisher)
        )
    }

    /// A form may encode the text with longer line ends.
    private static let jsonLimit = ConfigTemplate.Limits.textLength + 2 << 20

    @Sendable
    func changeJSON(_ visit: ConsoleVisit) async throws -> Response {
        let form = try await ConsoleUpload(visit, limits: [:], fieldLimit: Self.jsonLimit).form
        // Browsers send line ends as CR LF.
        let json = (form.fields["json"] ?? "").replacing("\r\n", with: "\n")
        let description = form["description"]
        do {
            let template = try ConfigTemplate(json: json)
            let edit = ConfigEdit(
                description: description.isEmpty ? "Edited as JSON" : String(description.prefix(200)),
                success: "The template was published.",
                target: Self.configPath
            ) { (current) throws(HubError) in current = template }
            return try await publish(edit, form, visit)
        } catch let error as HubError where error.isRefusedConfig {
            return jsonPage(visit, json, etag: form["etag"], version: "", error: error)
        }
    }

    private struct VersionListPage: Sendable {
        struct Row: Sendable {
            var number: String
            var path: String
            var time: ConsoleTime
            var author: String
            var description: String
            var origin: String
            var isCurrent: Bool
        }

        var rows: [Row]
        var older: String?
    }

    private static let versionsOfPage = 50

    @Sendable
    func versionList(_ visit: ConsoleVisit) async throws -> Response {
        let before = visit.request.query["before"].flatMap { Int64($0) }
        let newest = try await hub.storedTemplate(by: visit.caller).version.number
        let versions = try await hub.configVersions(before: before, limit: Self.versionsOfPage + 1, by: visit.caller)
        let page = versions.prefix(Self.versionsOfPage)
        return .page(
            "config-versions",
            ConsoleChrome(title: "Versions of Remote Config", visit: visit),
            VersionListPage(
                rows: page.map { version in
                    .init(
                        number: "\(version.number)",
                        path: "\(Self.configPath)/versions/\(version.number)",
                        time: ConsoleTime(version.updateTime),
                        author: ConsoleChrome.name(of: version.updateUser),
                        description: version.description,
                        origin: Self.tool(version.updateOrigin),
                        isCurrent: version.number == newest
                    )
                },
                older: versions.count > page.count
                    ? "\(Self.configPath)/versions?before=\(page.last?.number ?? 0)" : nil
            )
        )
    }

    /// The tool that published a version, for people.
    private static func tool(_ origin: String) -> String {
        switch origin {
        case "CONSOLE": "console"
        case "REST_API": "command or API"
        case "ADMIN_SDK_NODE": "Admin SDK for Node"
        default: origin.replacing("_", with: " ").lowercased()
        }
    }

    private struct VersionPage: Sendable {
        /// A running experiment that prevents a rollback.
        struct Obstacle: Sendable {
            var id: String
            var path: String
            var reason: String
        }

        var number: String
        var path: String
        var time: ConsoleTime
        var author: String
        var description: String
        var isCurrent: Bool
        /// The version before, unless it was removed.
        var before: String?
        var change: DiffView
        var rollback: DiffView
        var json: String
        var canRollBack: Bool
        var obstacles: [Obstacle]
    }

    func versionPage(_ visit: ConsoleVisit, _ text: String) async throws -> Response {
        guard let number = Int64(text), number > 0 else { throw HubError(.notFound, "There is no such version.") }
        let published = try await hub.configTemplate(number, by: visit.caller)
        let current = try await hub.configTemplate(by: visit.caller)
        let running = try await hub.experiments(by: visit.caller).filter(\.isRunning)
        // Old versions are removed; then there is nothing to compare with.
        let before = number > 1 ? try? await hub.storedTemplate(number - 1, by: visit.caller) : nil
        let json = JSONText.indented(published.json)
        let isCurrent = current.version.number == number
        return .page(
            "config-version",
            ConsoleChrome(title: "Version \(number)", visit: visit),
            VersionPage(
                number: "\(number)",
                path: "\(Self.configPath)/versions/\(number)",
                time: ConsoleTime(published.version.updateTime),
                author: ConsoleChrome.name(of: published.version.updateUser),
                description: published.version.description,
                isCurrent: isCurrent,
                before: before.map { _ in "\(number - 1)" },
                change: DiffView(from: before.map { JSONText.indented($0.json) } ?? json, to: json),
                rollback: DiffView(from: JSONText.indented(current.json), to: json),
                json: json,
                canRollBack: !isCurrent && visit.caller.role >= .publisher,
                obstacles: running.compactMap { experiment in
                    published.template.problem(for: experiment, after: current.template).map {
                        .init(id: experiment.id, path: Self.path(ofExperiment: experiment.id), reason: $0)
                    }
                }
            )
        )
    }

    func rollBackConfig(_ visit: ConsoleVisit, _ text: String) async throws -> Response {
        _ = try await ConsoleForm(visit)
        guard let number = Int64(text) else { throw HubError(.notFound, "There is no such version.") }
        return try await change(visit, thenTo: Self.configPath) {
            let published = try await hub.rollBackConfig(to: number, origin: "CONSOLE", by: visit.caller)
            return "Version \(number) is active again, as version \(published.version.number)."
        }
    }
}
