import Foundation

/// A document with JSON Schemas, and the part of JSON Schema that the documents of this package use.
///
/// The check is stricter than JSON Schema: a field that the schema of an object does not describe is a problem, unless the schema
/// has `additionalProperties`.
public struct JSONSchema: @unchecked Sendable {
    // Sound, because nothing changes the values of `JSONSerialization` after they are read.
    private let document: [String: Any]

    /// Creates a document from its JSON.
    public init(_ json: Data) throws {
        document = try JSONSerialization.jsonObject(with: json) as? [String: Any] ?? [:]
    }

    /// The value at a pointer such as `#/$defs/object` (RFC 6901); nil if there is none.
    public func value(at pointer: String) -> Any? {
        var value: Any? = document
        for part in pointer.split(separator: "/").dropFirst() {
            let key = String(part).replacing("~1", with: "/").replacing("~0", with: "~")
            value = (value as? [String: Any])?[key] ?? (value as? [Any]).flatMap { list in Int(key).map { list[$0] } }
        }
        return value
    }

    /// An object of the document, or the object that its reference names.
    public func resolved(_ object: [String: Any]) -> [String: Any] {
        guard let reference = object["$ref"] as? String else { return object }
        return value(at: reference) as? [String: Any] ?? [:]
    }

    /// The ways in which a value does not follow a schema of the document.
    ///
    /// - Parameters:
    ///   - json: The value as JSON.
    ///   - schema: The schema, or an object with a reference to it.
    public func problems(_ json: Data, _ schema: [String: Any]) throws -> [String] {
        problems(try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed), schema, at: "$")
    }

    /// The ways in which a value does not follow the schema that is the whole document.
    public func problems(_ json: Data) throws -> [String] { try problems(json, document) }

    private func problems(_ value: Any, _ schema: [String: Any], at path: String) -> [String] {
        if let reference = schema["$ref"] as? String {
            guard let definition = self.value(at: reference) as? [String: Any] else {
                return ["\(path): no definition \(reference)"]
            }
            return problems(value, definition, at: path)
        }
        if let choices = schema["anyOf"] as? [[String: Any]] {
            let all = choices.map { problems(value, $0, at: path) }
            return all.contains { $0.isEmpty } ? [] : all.min { $0.count < $1.count } ?? []
        }
        if let constant = schema["const"] { return isEqual(value, constant) ? [] : ["\(path): not \(constant)"] }
        if let choices = schema["enum"] as? [Any], !choices.contains(where: { isEqual(value, $0) }) {
            return ["\(path): \(value) is none of \(choices)"]
        }
        guard let types = schema["type"] as? [String] ?? (schema["type"] as? String).map({ [$0] }) else {
            return ["\(path): a schema without a type"]
        }
        let all = types.map { problems(value, schema, ofType: $0, at: path) }
        return all.contains { $0.isEmpty } ? [] : all.first ?? []
    }

    private func problems(_ value: Any, _ schema: [String: Any], ofType type: String, at path: String) -> [String] {
        switch type {
        case "object": return problemsOfObject(value, schema, at: path)
        case "array":
            guard let elements = value as? [Any] else { return ["\(path): no array"] }
            if let limit = schema["maxItems"] as? Int, elements.count > limit { return ["\(path): too many elements"] }
            let items = schema["items"] as? [String: Any] ?? [:]
            return elements.enumerated().flatMap { problems($0.element, items, at: "\(path)[\($0.offset)]") }
        case "string": return problemsOfString(value, schema, at: path)
        case "boolean": return isBoolean(value) ? [] : ["\(path): no boolean"]
        case "number", "integer": return problemsOfNumber(value, schema, type, at: path)
        case "null": return value is NSNull ? [] : ["\(path): not null"]
        default: return ["\(path): the unknown type \(type)"]
        }
    }

    private func problemsOfObject(_ value: Any, _ schema: [String: Any], at path: String) -> [String] {
        guard let fields = value as? [String: Any] else { return ["\(path): no object"] }
        let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
        let missing = (schema["required"] as? [String] ?? []).filter { fields[$0] == nil }.map { "\(path): no \($0)" }
        return missing
            + fields.sorted { $0.key < $1.key }.flatMap { name, field in
                let path = "\(path).\(name)"
                if let property = properties[name] { return problems(field, property, at: path) }
                if let others = schema["additionalProperties"] as? [String: Any] {
                    return problems(field, others, at: path)
                }
                return schema["additionalProperties"] as? Bool == true ? [] : ["\(path): not described"]
            }
    }

    private func problemsOfString(_ value: Any, _ schema: [String: Any], at path: String) -> [String] {
        guard let text = value as? String else { return ["\(path): no string"] }
        if let pattern = schema["pattern"] as? String, text.range(of: pattern, options: .regularExpression) == nil {
            return ["\(path): \"\(text)\" does not match \(pattern)"]
        }
        let time = #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$"#
        if schema["format"] as? String == "date-time", text.range(of: time, options: .regularExpression) == nil {
            return ["\(path): \"\(text)\" is not a time"]
        }
        return []
    }

    private func problemsOfNumber(_ value: Any, _ schema: [String: Any], _ type: String, at path: String) -> [String] {
        guard let number = (value as? NSNumber)?.doubleValue, !isBoolean(value) else { return ["\(path): no number"] }
        if type == "integer", number != number.rounded() { return ["\(path): no whole number"] }
        if let minimum = (schema["minimum"] as? NSNumber)?.doubleValue, number < minimum {
            return ["\(path): too small"]
        }
        if let maximum = (schema["maximum"] as? NSNumber)?.doubleValue, number > maximum {
            return ["\(path): too large"]
        }
        return []
    }

    private func isEqual(_ value: Any, _ other: Any) -> Bool {
        if let text = value as? String { return text == other as? String }
        guard isBoolean(value) == isBoolean(other) else { return false }
        return (value as? NSNumber)?.doubleValue == (other as? NSNumber)?.doubleValue
    }

    private func isBoolean(_ value: Any) -> Bool {
        guard let number = value as? NSNumber else { return value is Bool }
        return String(cString: number.objCType) == "c"
    }
}
