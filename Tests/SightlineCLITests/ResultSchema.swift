import Foundation
import SightlineTestSupport

/// The JSON Schema of results that the documentation publishes.
struct ResultSchema {
    private let document: JSONSchema

    init() throws {
        let file = TestData.package.appending(path: "Sources/Sightline/Documentation.docc/results.schema.json")
        document = try JSONSchema(Data(contentsOf: file))
    }

    /// The ways in which a value does not follow a definition; the whole schema if `definition` is nil.
    func problems(_ json: Data, as definition: String? = nil) throws -> [String] {
        guard let definition else { return try document.problems(json) }
        return try document.problems(json, ["$ref": "#/$defs/\(definition)"])
    }
}
