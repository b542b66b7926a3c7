import Foundation
import Hummingbird
import Sightline
import TextFormatting

/// The page with the list of models.
private struct ModelListPage: Sendable {
    struct Row: Sendable {
        var name: String
        var path: String
        var tags: [String]
        var state: ModelState
        var size: String
        var version: String
        var versions: String
        /// The use of the served version.
        var use: String
        /// The beginning of the description.
        var about: String
        var downloads: String
        var updated: ConsoleTime
    }

    struct Choice: Sendable {
        var value: String
        var title: String
        var isChosen: Bool
    }

    var search: String
    var states: [Choice]
    var orders: [Choice]
    var rows: [Row]
    /// Whether the project has no models yet.
    var isNew: Bool
    var isFiltered: Bool
    var summary: String
    var previous: String?
    var next: String?
    var hasPages: Bool
    var position: String
}

/// The badge of a model.
struct ModelState: Sendable {
    var title: String
    /// A class of the style sheet.
    var kind: String

    init(_ model: ModelRecord) {
        (title, kind) =
            switch (model.isPublished, model.validationError) {
            case (true, nil): ("Published", "good")
            case (false, .some(.noFile)) where model.aliases[.staging] != nil: ("Staged", "accent")
            case (true, .some): ("Published, newest file invalid", "warning")
            case (false, nil): ("Not published", "neutral")
            case (false, .some(.noFile)): ("No file", "neutral")
            case (false, .some): ("Invalid file", "bad")
            }
    }
}

extension Console {
    private static let pageSize = 50

    @Sendable
    func modelList(_ visit: ConsoleVisit) async throws -> Response {
        let fields = visit.request.query
        var query = ModelListQuery()
        query.text = String((fields["q"] ?? "").trimmingCharacters(in: .whitespaces).prefix(64))
        query.state = fields["state"].flatMap { ModelListQuery.State(rawValue: $0) }
        query.order = fields["order"].flatMap { ModelListQuery.Order(rawValue: $0) } ?? .name
        query.limit = Self.pageSize
        let page = max(1, min(fields["page"].flatMap { Int($0) } ?? 1, 1_000_000))
        query.offset = (page - 1) * Self.pageSize
        let listing = try await hub.records.modelListing(of: visit.caller.project.id, query)
        let pageCount = max(1, (listing.matchCount + Self.pageSize - 1) / Self.pageSize)
        return .page(
            "models",
            ConsoleChrome(title: "Models", visit: visit),
            ModelListPage(
                search: query.text,
                states: Self.states(query),
                orders: Self.orders(query),
                rows: listing.entries.map { row($0) },
                isNew: listing.totalCount == 0,
                isFiltered: !query.text.isEmpty || query.state != nil,
                summary: Self.summary(listing, query),
                previous: page > 1 ? Self.target(query, page: page - 1) : nil,
                next: page < pageCount ? Self.target(query, page: page + 1) : nil,
                hasPages: pageCount > 1,
                position: "Page \(NumberText.grouped(page)) of \(NumberText.grouped(pageCount))"
            )
        )
    }

    private static func summary(_ listing: ModelListing, _ query: ModelListQuery) -> String {
        let total = NumberText.grouped(listing.totalCount, "model")
        let isFiltered = !query.text.isEmpty || query.state != nil
        return isFiltered ? "\(NumberText.grouped(listing.matchCount)) of \(total)" : total
    }

    private static func states(_ query: ModelListQuery) -> [ModelListPage.Choice] {
        let titles: [ModelListQuery.State: String] = [
            .published: "Published", .unpublished: "Not published", .invalid: "With a problem",
        ]
        return [.init(value: "", title: "All", isChosen: query.state == nil)]
            + ModelListQuery.State.allCases.map {
                .init(value: $0.rawValue, title: titles[$0] ?? "", isChosen: query.state == $0)
            }
    }

    private static func orders(_ query: ModelListQuery) -> [ModelListPage.Choice] {
        let titles: [ModelListQuery.Order: String] = [
            .name: "Name", .updated: "Last change", .downloads: "Downloads",
        ]
        return ModelListQuery.Order.allCases.map {
            .init(value: $0.rawValue, title: titles[$0] ?? "", isChosen: query.order == $0)
        }
    }

    private static func target(_ query: ModelListQuery, page: Int) -> String {
        var fields: [String] = []
        if !query.text.isEmpty { fields.append("q=\(encoded(query.text))") }
        if let state = query.state { fields.append("state=\(state.rawValue)") }
        if query.order != .name { fields.append("order=\(query.order.rawValue)") }
        if page > 1 { fields.append("page=\(page)") }
        return "/console/models" + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&"))
    }

    private static func use(of entry: ModelListing.Entry) -> String {
        switch entry.inspection.flatMap({ ModelInspection.Purpose(inspection: $0) }) {
        case .labeling: "Labels"
        case .detection: "Finds objects"
        case nil: "–"
        }
    }

    private func row(_ entry: ModelListing.Entry) -> ModelListPage.Row {
        let model = entry.model
        let description = model.card.description.split(whereSeparator: \.isNewline).first ?? ""
        let about = description.count > 100 ? "\(description.prefix(99))…" : String(description)
        return .init(
            name: model.displayName,
            path: Self.path(of: model),
            tags: model.tags,
            state: ModelState(model),
            size: model.file.map { NumberText.bytes($0.byteCount) } ?? "–",
            version: model.file.map { "\($0.version)" } ?? "–",
            versions: NumberText.grouped(entry.versionCount, "version"),
            use: Self.use(of: entry),
            about: about,
            downloads: NumberText.grouped(entry.downloadCount + hub.downloads.pendingCount(of: model.id)),
            updated: ConsoleTime(model.updateTime)
        )
    }
}
