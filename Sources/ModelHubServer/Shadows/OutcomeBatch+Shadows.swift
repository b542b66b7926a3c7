import ModelHubProtocol

extension ShadowOutcome {
    /// Reads the comparison of two versions in a batch of outcomes.
    ///
    /// - Throws: If the comparison is not as documented.
    init(_ node: JSONNode, _ path: String) throws(TemplateFailure) {
        let fields = try node.fields(["model", "served", "candidate", "count", "different", "labels"], of: path)
        func field(_ key: String) throws(TemplateFailure) -> JSONNode { try node.required(key, fields, path) }
        func hash(_ key: String) throws(TemplateFailure) -> String {
            let text = try field(key).text("\(path).\(key)")
            guard BlobHash(text) != nil else {
                throw try field(key).failure("\(path).\(key)", "it is not the SHA-256 of a file in lower case")
            }
            return text
        }
        let model = try field("model").text("\(path).model")
        guard model.utf8.count <= 60 else {
            throw try field("model").failure("\(path).model", "it is not a model's name")
        }
        let labels = try field("labels").elements("\(path).labels")
        guard labels.count <= Limits.labels else {
            throw node.failure("\(path).labels", "there are \(labels.count), more than \(Limits.labels)")
        }
        let (count, different) = try Self.counts(node, fields, path)
        var read: [Label] = []
        for (index, label) in labels.enumerated() {
            let path = "\(path).labels[\(index)]"
            let fields = try label.fields(["label", "count", "different"], of: path)
            let text = try label.required("label", fields, path).text("\(path).label")
            guard text.utf8.count <= Limits.labelLength, !text.utf8.contains(0) else {
                throw label.failure("\(path).label", "it has more than \(Limits.labelLength) bytes, or one that is 0")
            }
            let (count, different) = try Self.counts(label, fields, path)
            read.append(Label(label: text, count: count, different: different))
        }
        self.init(
            model: model,
            served: try hash("served"),
            candidate: try hash("candidate"),
            count: count,
            different: different,
            labels: read
        )
    }

    private static func counts(
        _ node: JSONNode,
        _ fields: [String: JSONNode],
        _ path: String
    ) throws(TemplateFailure) -> (count: Int, different: Int) {
        func number(_ key: String, _ range: ClosedRange<Int>) throws(TemplateFailure) -> Int {
            let field = try node.required(key, fields, path)
            guard case .number(let text) = field.content, let value = Int(text), range.contains(value) else {
                throw field.failure(
                    "\(path).\(key)",
                    "it is not a whole number from \(range.lowerBound) to \(range.upperBound)"
                )
            }
            return value
        }
        let count = try number("count", 0...Limits.count)
        return (count, try number("different", 0...count))
    }
}
