import Foundation
import SightlineTestSupport

/// The JSON Schema of results that the documentation publishes, and the part of JSON Schema that it uses.
struct ResultSchema {
    private let root: [String: Any]

    init() throws {
        let file = TestData.package.appending(path: "Sources/Sightline/Documentation.docc/results.schema.json")
        root = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
    }

    /// The ways in which a value does not follow a definition; the whole schema if `definition` is nil.
    func problems(_ json: Data, as definition: String? = nil) throws -> [String] {
        let value = try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed)
        return problems(value, definition.map { ["$ref": "#/$defs/\($0)"] } ?? root, at: "$")
    }

    private func problems(_ value: Any, _ schema: [String: Any], at path: String) -> [String] {
        if let reference = schema["$ref"] as? String {
            let definitions = root["$defs"] as? [String: [String: Any]]
            let name = String(reference.split(separator: "/").last ?? "")
            guard let definition = definitions?[name] else { return ["\(path): no definition \(reference)"] }
            return problems(value, definition, at: path)
        }
        if let choices = schema["anyOf"] as? [[String: Any]] {
            let all = choices.map { problems(value, $0, at: path) }
            return all.contains { $0.isEmpty } ? [] : all.min { $0.count < $1.count } ?? []
        }
        switch schema["type"] as? String {
        case "object": return problemsOfObject(value, schema, at: path)
        case "array":
            guard let elements = value as? [Any] else { return ["\(path): no array"] }
            let items = schema["items"] as? [String: Any] ?? [:]
            return elements.enumerated().flatMap { problems($0.element, items, at: "\(path)[\($0.offset)]") }
        case "string": return value is String ? [] : ["\(path): no string"]
        case "boolean": return isBoolean(value) ? [] : ["\(path): no boolean"]
        case "number", "integer": return problemsOfNumber(value, schema, at: path)
        default: return ["\(path): a schema without a type"]
        }
    }

    private func problemsOfObject(_ value: Any, _ schema: [String: Any], at path: String) -> [String] {
        guard let fields = value as? [String: Any] else { return ["\(path): no object"] }
        let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
        let missing = (schema["required"] as? [String] ?? []).filter { fields[$0] == nil }.map { "\(path): no \($0)" }
        return missing
            + fields.flatMap { name, field in
                properties[name].map { problems(field, $0, at: "\(path).\(name)") } ?? [
                    "\(path).\(name): not described"
                ]
            }
    }

    private func problemsOfNumber(_ value: Any, _ schema: [String: Any], at path: String) -> [String] {
        guard let number = (value as? NSNumber)?.doubleValue, !isBoolean(value) else { return ["\(path): no number"] }
        if schema["type"] as? String == "integer", number != number.rounded() { return ["\(path): no whole number"] }
        if let minimum = (schema["minimum"] as? NSNumber)?.doubleValue, number < minimum {
            return ["\(path): too small"]
        }
        if let maximum = (schema["maximum"] as? NSNumber)?.doubleValue, number > maximum {
            return ["\(path): too large"]
        }
        return []
    }

    private func isBoolean(_ value: Any) -> Bool {
        guard let number = value as? NSNumber else { return value is Bool }
        return String(cString: number.objCType) == "c"
    }
}
