/// The form of a value in a request or a response, as a JSON Schema (draft 2020-12).
///
/// The names of an object's fields come with their schemas; a question mark ends the name of a field that may be absent:
///
///     object("A version.").fields(["number": .integer(atLeast: 1), "notes?": .text("Notes for people.")])
package struct Schema: Sendable {
    private typealias Rules = KeyValuePairs<String, OrderedJSON?>

    private var rules: [(key: String, value: OrderedJSON)]
    /// The schemas with names to which this schema refers, by their names.
    package private(set) var parts: [String: OrderedJSON] = [:]

    private init(_ rules: Rules, parts: [Schema] = []) {
        self.rules = rules.compactMap { key, value in value.map { (key, $0) } }
        for part in parts { self.parts.merge(part.parts) { first, _ in first } }
    }

    private init(
        type: OrderedJSON,
        _ description: String?,
        _ rules: Rules = [:],
        parts: [Schema] = []
    ) {
        self.init(["type": type, "description": description.map { .text($0) }], parts: parts)
        add(rules)
    }

    private mutating func add(_ others: Rules) {
        rules += others.compactMap { key, value in value.map { (key, $0) } }
    }

    package var json: OrderedJSON { .object(rules) }

    // MARK: - Names

    /// The schema under a name, by which the description refers to it from all its places.
    package func named(_ name: String) -> Schema {
        var reference = Schema.reference(name)
        reference.parts = parts
        reference.parts[name] = json
        return reference
    }

    /// The schema with a name. A schema that contains itself needs it.
    package static func reference(_ name: String) -> Schema {
        Schema(["$ref": .text("#/components/schemas/\(name)")])
    }

    /// A schema with a name, with a description for one of its places.
    package func described(_ text: String) -> Schema {
        var schema = self
        schema.add(["description": .text(text)])
        return schema
    }

    // MARK: - Values

    package static let anything = Schema([:])
    package static let bytes = Schema(type: "string", nil, ["contentMediaType": "application/octet-stream"])

    package static func text(
        _ description: String? = nil,
        pattern: String? = nil,
        format: String? = nil,
        atMost length: Int? = nil
    ) -> Schema {
        Schema(
            type: "string",
            description,
            [
                "pattern": pattern.map { .text($0) }, "format": format.map { .text($0) },
                "maxLength": length.map { .number($0) },
            ]
        )
    }

    package static func time(_ description: String? = nil) -> Schema { text(description, format: "date-time") }

    /// A whole number as a text.
    package static func decimal(_ description: String? = nil) -> Schema {
        let reason = "A decimal string, because numbers in JSON cannot represent 64 bits."
        return text(description.map { "\($0) \(reason)" } ?? reason)
    }

    /// The only text that is possible.
    package static func constant(_ text: String) -> Schema { Schema(type: "string", nil, ["const": .text(text)]) }

    /// The value `true` of a field that is absent otherwise.
    package static func mark(_ description: String? = nil) -> Schema {
        Schema(["description": description.map { .text($0) }, "const": true])
    }

    /// One of several texts.
    package static func choice(_ texts: [String], _ description: String? = nil) -> Schema {
        Schema(type: "string", description, ["enum": .list(texts.map { .text($0) })])
    }

    package static func boolean(_ description: String? = nil) -> Schema { Schema(type: "boolean", description) }

    package static func integer(_ description: String? = nil, atLeast least: Int? = nil, atMost most: Int? = nil)
        -> Schema
    {
        bounded("integer", description, least, most)
    }

    package static func number(_ description: String? = nil, atLeast least: Int? = nil, atMost most: Int? = nil)
        -> Schema
    {
        bounded("number", description, least, most)
    }

    /// A value of any of several types.
    package static func either(
        _ types: [String],
        _ description: String? = nil,
        atLeast least: Int? = nil,
        atMost most: Int? = nil
    ) -> Schema {
        bounded(.list(types.map { .text($0) }), description, least, most)
    }

    private static func bounded(_ type: OrderedJSON, _ description: String?, _ least: Int?, _ most: Int?) -> Schema {
        Schema(
            type: type,
            description,
            ["minimum": least.map { .number($0) }, "maximum": most.map { .number($0) }]
        )
    }

    /// A value of one of several forms.
    package static func anyOf(_ schemas: [Schema]) -> Schema {
        Schema(["anyOf": .list(schemas.map(\.json))], parts: schemas)
    }

    // MARK: - Containers

    package static func list(_ description: String? = nil, of element: Schema, atMost count: Int? = nil) -> Schema {
        Schema(
            type: "array",
            description,
            ["items": element.json, "maxItems": count.map { .number($0) }],
            parts: [element]
        )
    }

    /// An object whose fields have any names.
    package static func map(_ description: String? = nil, of element: Schema) -> Schema {
        Schema(type: "object", description, ["additionalProperties": element.json], parts: [element])
    }

    package static func object(_ description: String? = nil) -> Schema { Schema(type: "object", description) }

    /// An object with fields.
    package static func fields(_ fields: KeyValuePairs<String, Schema>) -> Schema { object().fields(fields) }

    /// The object with fields.
    package func fields(_ fields: KeyValuePairs<String, Schema>) -> Schema {
        var schema = self
        let required = fields.map(\.key).filter { !$0.hasSuffix("?") }.map { OrderedJSON.text($0) }
        let properties = fields.map { (key: $0.hasSuffix("?") ? String($0.dropLast()) : $0, value: $1.json) }
        schema.add(["required": required.isEmpty ? nil : .list(required), "properties": .object(properties)])
        for field in fields { schema.parts.merge(field.value.parts) { first, _ in first } }
        return schema
    }

    /// The object when it may have further fields.
    package var open: Schema { taking(others: true) }

    /// The object when further fields are an error.
    package var closed: Schema { taking(others: false) }

    private func taking(others: Bool) -> Schema {
        var schema = self
        schema.add(["additionalProperties": .bool(others)])
        return schema
    }
}
