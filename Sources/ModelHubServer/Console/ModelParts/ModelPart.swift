import Hummingbird

/// A part of a model's page, with an address of its own.
///
/// Each part is a file: a constant of this type, its contents, and a template of the same name. ``all`` lists them.
struct ModelPart: Sendable {
    /// The template of a part with its values.
    struct Content: Sendable {
        var template: String
        var values: any Sendable
    }

    /// The last component of the address; empty for the part at the model's own address.
    var name: String
    var title: String
    /// The anchors of the sections that are in this part, for addresses from when a model had one page.
    var anchors: String
    /// The role that sees the part.
    var role = Role.viewer
    /// The contents for a request.
    var content: @Sendable (Console, ConsoleVisit, ModelRecord) async throws -> Content

    /// The parts, in the order of their links.
    static let all: [ModelPart] = [.overview, .versions, .trial, .use, .evaluation, .data, .settings]
}

/// The frame around the parts of a model's page.
private struct ModelFrame: Sendable {
    struct Link: Sendable {
        var title: String
        var path: String
        var anchors: String
        var isCurrent: Bool
    }

    var path: String
    var name: String
    var tags: [String]
    var state: ModelState
    var isPublished: Bool
    var canBePublished: Bool
    var parts: [Link]
}

/// The values of a part's template: its own, and those of the frame.
private struct ModelPartPage: Sendable {
    var chrome: ConsoleChrome
    var model: ModelFrame
    var page: any Sendable
}

/// The values of the frame's template.
private struct ModelFramePage: Sendable {
    var model: ModelFrame
    /// The part as HTML.
    var part: String
}

extension Console {
    /// - Parameter model: The path of a model's page.
    func addParts(of model: String, to routes: inout RouteTable) {
        for part in ModelPart.all {
            let path = part.name.isEmpty ? model : "\(model)/\(part.name)"
            page(at: path, for: part.role, in: &routes, use: ofModel { try await partPage(part, $0, $1) })
        }
    }

    /// The path of a model's page.
    static func path(of model: ModelRecord, _ part: ModelPart = .overview) -> String {
        "/console/models/\(model.id)" + (part.name.isEmpty ? "" : "/\(part.name)")
    }

    private func partPage(_ part: ModelPart, _ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        // When a model had one page, it listed older versions.
        if part.name.isEmpty, let before = visit.request.query["before"].flatMap({ Int($0) }) {
            return try .seeOther("\(Self.path(of: model, .versions))?before=\(before)", for: visit.request)
        }
        let title = part.name.isEmpty ? model.displayName : "\(part.title) · \(model.displayName)"
        let chrome = ConsoleChrome(title: title, visit: visit)
        let frame = ModelFrame(
            path: Self.path(of: model),
            name: model.displayName,
            tags: model.tags,
            state: ModelState(model),
            isPublished: model.isPublished,
            canBePublished: !model.isPublished && model.validationError == nil && model.file != nil,
            parts: ModelPart.all.filter { visit.caller.role >= $0.role }.map {
                .init(
                    title: $0.title,
                    path: Self.path(of: model, $0),
                    anchors: $0.anchors,
                    isCurrent: $0.name == part.name
                )
            }
        )
        let content = try await part.content(self, visit, model)
        let values = ModelPartPage(chrome: chrome, model: frame, page: content.values)
        guard let text = ConsoleTemplates.render(content.template, values) else {
            throw HubError(.internal, "The console has no template \(content.template).")
        }
        return .page("model", chrome, ModelFramePage(model: frame, part: text))
    }

    /// The versions that the forms of a part offer: the newest ones, and the served one, however old it is.
    func offeredVersions(of model: ModelRecord) async throws -> [ModelVersion] {
        let newest = try await hub.records.versions(of: model.id, before: nil, limit: Self.versionPage)
        guard let served = model.file?.version, !newest.contains(where: { $0.number == served }),
            let version = try await hub.records.version(served, of: model.id)
        else { return newest }
        return newest + [version]
    }

    /// The version whose description a part shows: the served one, or else the newest one.
    static func shownVersion(of model: ModelRecord, in versions: [ModelVersion]) -> ModelVersion? {
        versions.first { $0.number == model.file?.version } ?? versions.first
    }
}
