/// A filter as a condition of SQL on rows of `model`.
struct ModelCondition {
    /// The values of the condition.
    private(set) var parameters: Columns = [:]
    private var count = 0

    /// - Parameter project: The project of the models.
    init(project: String) { parameters["project"] = project }

    /// The condition of a filter.
    mutating func sql(of filter: ModelFilter) -> String {
        switch filter {
        case .name(let name): return "displayName = \(parameter(name))"
        case .namePrefix(let prefix):
            // Names are ASCII, so no name with the prefix lies beyond the prefix and the last code point.
            return "(displayName >= \(parameter(prefix)) AND displayName < \(parameter(prefix + "\u{10FFFF}")))"
        case .tag(let tag):
            return "id IN (SELECT model FROM tag WHERE project = :project AND tag = \(parameter(tag)))"
        case .not(.tag(let tag)):
            // The condition may exclude few or nearly all models; checking each record is fastest for both. Tags in the
            // records are JSON without escapes.
            guard ModelRules.isTag(tag) else { return "TRUE" }
            return "replace(tags, \(parameter("\"\(tag)\"")), '') = tags"
        case .not(.not(let part)): return sql(of: part)
        case .not(.all(let parts)): return sql(of: .any(parts.map { .not($0) }))
        case .not(.any(let parts)): return sql(of: .all(parts.map { .not($0) }))
        case .published(let isPublished): return isPublished ? "isPublished" : "NOT isPublished"
        case .not(let part): return "NOT " + sql(of: part)
        case .all(let parts): return "(" + parts.map { sql(of: $0) }.joined(separator: " AND ") + ")"
        case .any(let parts): return "(" + parts.map { sql(of: $0) }.joined(separator: " OR ") + ")"
        }
    }

    /// The name of a new parameter.
    private mutating func parameter(_ value: String) -> String {
        count += 1
        parameters["filter\(count)"] = value
        return ":filter\(count)"
    }
}
