import Foundation

@testable import ModelHubServer

extension FuzzTarget {
    /// Expressions of conditions.
    static let condition = FuzzTarget(name: "condition") { data in
        let expression = try ConditionExpression(String(decoding: data, as: UTF8.self))
        var names = ConditionNames()
        _ = CompiledCondition(expression, names: &names)
    }

    /// Templates, which read the same after they were written.
    static let template = FuzzTarget(name: "template") { data in
        let template = try ConfigTemplate(json: String(decoding: data, as: UTF8.self))
        let again = try? ConfigTemplate(json: template.json())
        require(again?.json() == template.json(), "a template reads the same after it was written")
    }

    /// Regular expressions of conditions, and texts that they are searched in, behind the first line end.
    static let pattern = FuzzTarget(name: "pattern") { data in
        let parts = data.split(separator: 10, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 2 else { return }
        _ = try TextPattern(parts[0]).matches(String(parts[1].prefix(200)))
    }
}
