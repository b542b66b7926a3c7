/// A part of a request outside its body, or a header of a response.
package struct APIParameter: Sendable {
    /// The place of a parameter.
    package enum Place: String {
        case path, query, header
    }

    package let place: Place
    package let name: String
    package let text: String
    package let schema: Schema
    package let isRequired: Bool

    package static func path(_ name: String, _ text: String, _ schema: Schema = .text()) -> APIParameter {
        APIParameter(place: .path, name: name, text: text, schema: schema, isRequired: true)
    }

    package static func query(
        _ name: String,
        _ text: String,
        _ schema: Schema = .text(),
        isRequired: Bool = false
    ) -> APIParameter {
        APIParameter(place: .query, name: name, text: text, schema: schema, isRequired: isRequired)
    }

    package static func header(
        _ name: String,
        _ text: String,
        _ schema: Schema = .text(),
        isRequired: Bool = false
    ) -> APIParameter {
        APIParameter(place: .header, name: name, text: text, schema: schema, isRequired: isRequired)
    }

    package var json: OrderedJSON {
        .fields([
            "name": .text(name), "in": .text(place.rawValue), "required": isRequired ? true : nil,
            "description": .text(text), "schema": schema.json,
        ])
    }
}
