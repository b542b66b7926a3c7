/// The description of a route in `/openapi.json`: its purpose, and its requests and responses.
///
/// Every operation may also answer with an error, and the parts of its path describe themselves.
package struct APIOperation: Sendable {
    /// A body by its types of content.
    package typealias Contents = KeyValuePairs<String, Schema>

    private struct Answer: Sendable {
        var status: Int
        var text: String
        var contents: [(type: String, schema: Schema)]
        var headers: [APIParameter]
    }

    /// The chapter of the description.
    package let tag: String
    private var id: String
    private var summary: String
    private var explanation: String?
    private var parameters: [APIParameter] = []
    private var body: (contents: [(type: String, schema: Schema)], isRequired: Bool)?
    private var answers: [Answer] = []
    private var head: (id: String, summary: String)?

    /// Creates the description of an operation in the chapter of a tag.
    package init(tag: String, _ id: String, _ summary: String) {
        (self.tag, self.id, self.summary) = (tag, id, summary)
    }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var operation = self
        change(&operation)
        return operation
    }

    /// Adds sentences to the summary.
    package func explained(_ text: String) -> Self { with { $0.explanation = text } }

    /// Adds parameters, or describes parts of the path in another way.
    package func parameters(_ parameters: APIParameter...) -> Self { with { $0.parameters += parameters } }

    /// Adds a body in JSON.
    package func takes(_ schema: Schema, isRequired: Bool = true) -> Self {
        takes(["application/json": schema], isRequired: isRequired)
    }

    /// Adds a body.
    package func takes(_ contents: Contents, isRequired: Bool = true) -> Self {
        with { $0.body = (contents.map { ($0, $1) }, isRequired) }
    }

    /// Adds an answer without a body.
    package func answers(_ text: String, status: Int = 200, headers: APIParameter...) -> Self {
        with { $0.answers.append(Answer(status: status, text: text, contents: [], headers: headers)) }
    }

    /// Adds an answer in JSON.
    package func answers(_ text: String, _ schema: Schema, status: Int = 200, headers: APIParameter...) -> Self {
        let contents = [(type: "application/json", schema: schema)]
        return with { $0.answers.append(Answer(status: status, text: text, contents: contents, headers: headers)) }
    }

    /// Adds an answer.
    package func answers(_ text: String, _ contents: Contents, status: Int = 200, headers: APIParameter...) -> Self {
        let contents = contents.map { (type: $0, schema: $1) }
        return with { $0.answers.append(Answer(status: status, text: text, contents: contents, headers: headers)) }
    }

    /// Describes HEAD requests of the same path.
    package func head(_ id: String, _ summary: String) -> Self { with { $0.head = (id, summary) } }

    /// The operation for HEAD requests; nil if it describes none.
    package var headOperation: APIOperation? {
        guard let head else { return nil }
        var operation = self
        (operation.id, operation.summary, operation.explanation) = (head.id, head.summary, nil)
        for index in answers.indices { operation.answers[index].contents = [] }
        return operation
    }
}

extension APIOperation {
    /// All schemas with names to which the operation refers.
    package var schemas: [String: OrderedJSON] {
        let contents = (body?.contents ?? []) + answers.flatMap(\.contents)
        return contents.reduce(into: [:]) { $0.merge($1.schema.parts) { first, _ in first } }
    }

    /// The operation as OpenAPI describes it.
    ///
    /// - Parameters:
    ///   - path: the path, with names of parts in braces.
    ///   - security: the proofs of which a request needs one.
    ///   - parts: describes a part of a path by its name, unless the operation does.
    package func json(
        path: String,
        security: OrderedJSON,
        parts: (String) -> APIParameter? = { _ in nil }
    ) -> OrderedJSON {
        let names = path.matches(of: /\{([^}]*)\}/).map { String($0.1) }
        let inPath = names.compactMap { name in
            parameters.first { $0.place == .path && $0.name == name } ?? parts(name)
        }
        let all = inPath + parameters.filter { $0.place != .path }
        let responses = answers.map { (key: "\($0.status)", value: Self.json($0)) }
        return .fields([
            "operationId": .text(id), "tags": .list([.text(tag)]), "summary": .text(summary),
            "description": explanation.map { .text($0) }, "security": security,
            "parameters": all.isEmpty ? nil : .list(all.map(\.json)),
            "requestBody": body.map {
                .fields(["required": $0.isRequired ? true : nil, "content": Self.json($0.contents)])
            },
            "responses": .object(responses + [("default", .fields(["$ref": "#/components/responses/Error"]))]),
        ])
    }

    private static func json(_ contents: [(type: String, schema: Schema)]) -> OrderedJSON {
        .object(contents.map { ($0.type, .fields(["schema": $0.schema.json])) })
    }

    private static func json(_ answer: Answer) -> OrderedJSON {
        let headers = answer.headers.map {
            (key: $0.name, value: OrderedJSON.fields(["description": .text($0.text), "schema": $0.schema.json]))
        }
        return .fields([
            "description": .text(answer.text), "headers": headers.isEmpty ? nil : .object(headers),
            "content": answer.contents.isEmpty ? nil : json(answer.contents),
        ])
    }
}
