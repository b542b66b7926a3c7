/// An Operation of firebaseml v1beta2. A hub finishes every change within its request.
package struct OperationResource: Codable, Sendable {
    /// The kind of the operation and its model.
    package struct Metadata: Codable, Sendable {
        enum CodingKeys: String, CodingKey {
            case type = "@type"
            case name, basicOperationStatus
        }

        private var type = "type.googleapis.com/google.firebase.ml.v1beta2.ModelOperationMetadata"
        /// The resource name of the model; absent after a failure.
        package var name: String?
        private var basicOperationStatus: String? = "BASIC_OPERATION_STATUS_UNSPECIFIED"

        /// Creates the metadata of a change.
        package init(name: String? = nil) { self.name = name }
    }

    /// The changed model, with the name of its type.
    private struct Response: Codable, Sendable {
        enum CodingKeys: String, CodingKey {
            case type = "@type"
        }

        let model: ModelResource

        init(_ model: ModelResource) { self.model = model }

        init(from decoder: any Decoder) throws { model = try ModelResource(from: decoder) }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode("type.googleapis.com/google.firebase.ml.v1beta2.Model", forKey: .type)
            try model.encode(to: encoder)
        }
    }

    /// `projects/PROJECT/operations/ID`.
    package var name: String
    private var metadata: Metadata?
    private var done: Bool?
    private var response: Response?
    /// The reason of the failure.
    package var error: RPCStatus?

    /// The changed model; nil if the change failed or is not finished.
    package var model: ModelResource? { response?.model }

    /// Creates an operation that changed a model.
    package init(name: String, model: ModelResource) {
        self.name = name
        metadata = Metadata(name: model.name)
        done = true
        response = Response(model)
    }

    /// Creates an operation that failed.
    package init(name: String, error: RPCStatus) {
        self.name = name
        metadata = Metadata()
        done = true
        self.error = error
    }
}
