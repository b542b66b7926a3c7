/// The description of a server's HTTP API in the form of OpenAPI 3.1, which follows from its routes.
package struct OpenAPIDocument {
    /// The part of the description about the whole API.
    package struct Frame {
        /// The object `info`.
        package var info: OrderedJSON
        /// A sentence about the server that serves the document.
        package var server: String
        /// The chapters with a sentence about each.
        package var tags: [(name: String, text: String)]
        /// The object `securitySchemes`.
        package var securitySchemes: OrderedJSON
        /// The form of errors, under a name.
        package var error: Schema
        /// Describes a part of a path by its name, where an operation does not.
        package var partOfPath: (String) -> APIParameter?

        /// Creates a frame.
        package init(
            info: OrderedJSON,
            server: String,
            tags: [(name: String, text: String)],
            securitySchemes: OrderedJSON,
            error: Schema,
            partOfPath: @escaping (String) -> APIParameter? = { _ in nil }
        ) {
            (self.info, self.server, self.tags) = (info, server, tags)
            (self.securitySchemes, self.error, self.partOfPath) = (securitySchemes, error, partOfPath)
        }
    }

    /// The document as JSON.
    package let text: String

    /// Describes routes.
    ///
    /// - Parameters:
    ///   - routes: the routes, in the order of the description; those without an operation are left out.
    ///   - frame: the part of the description about the whole API.
    ///   - security: the proofs of which a request of a route needs one, by the route's access.
    package init<Access>(_ routes: [Route<Access>], in frame: Frame, security: (Access) -> OrderedJSON) {
        var paths: [(key: String, value: [(key: String, value: OrderedJSON)])] = []
        var schemas = frame.error.parts
        for route in routes {
            guard let operation = route.operation else { continue }
            let path = route.describedPath
            let json = operation.json(path: path, security: security(route.access), parts: frame.partOfPath)
            let description = (key: route.method.rawValue.lowercased(), value: json)
            if let index = paths.firstIndex(where: { $0.key == path }) {
                paths[index].value.append(description)
            } else {
                paths.append((path, [description]))
            }
            schemas.merge(operation.schemas) { first, _ in first }
        }
        let document = OrderedJSON.fields([
            "openapi": "3.1.0",
            "info": frame.info,
            "servers": [.fields(["url": "/", "description": .text(frame.server)])],
            "tags": .list(frame.tags.map { .fields(["name": .text($0.name), "description": .text($0.text)]) }),
            "paths": .object(paths.map { ($0.key, .object($0.value)) }),
            "components": .fields([
                "securitySchemes": frame.securitySchemes,
                "responses": .fields([
                    "Error": .fields([
                        "description": "The request failed.",
                        "content": .fields(["application/json": .fields(["schema": frame.error.json])]),
                    ])
                ]),
                "schemas": .object(schemas.sorted { $0.key < $1.key }),
            ]),
        ])
        text = document.json
    }
}
