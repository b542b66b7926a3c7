import Foundation

/// A Model of firebaseml v1beta2, as returned by the hub.
struct ModelResource: Encodable, Sendable {
    struct State: Encodable, Sendable {
        var published: Bool
        var validationError: ModelRecord.ValidationError?
        /// An addition to Firebase's resource: the reason why the hub cannot run the file. The model may be published
        /// all the same.
        var warning: String?
    }

    struct TFLiteModel: Encodable, Sendable {
        var gcsTfliteUri: String?
        var automlModel: String?
        /// A decimal string, because numbers in JSON cannot represent 64 bits.
        var sizeBytes: String?
    }

    var name: String
    var displayName: String
    /// Absent if there are no tags; the Python SDK distinguishes this from an empty list.
    var tags: [String]?
    var createTime: String
    var updateTime: String
    var etag: String
    var modelHash: String?
    var state: State
    var tfliteModel: TFLiteModel?

    init(_ model: ModelRecord) {
        name = model.resourceName
        displayName = model.displayName
        tags = model.tags.isEmpty ? nil : model.tags
        createTime = model.createTime.description
        updateTime = model.updateTime.description
        etag = model.etag
        // While the newest file is invalid, the hub serves the older file, but this resource does not describe it.
        let file = model.validationError == nil ? model.file : nil
        state = State(
            published: model.isPublished,
            validationError: model.validationError,
            warning: file?.warning
        )
        modelHash = file?.hash.text
        switch model.source {
        case .object(let uri): tfliteModel = TFLiteModel(gcsTfliteUri: uri, sizeBytes: file.map { "\($0.byteCount)" })
        case .autoML(let name): tfliteModel = TFLiteModel(automlModel: name)
        case nil: break
        }
    }
}

/// A finished Operation of firebaseml v1beta2. The hub finishes every change within its request.
struct OperationResource: Encodable, Sendable {
    struct Metadata: Encodable, Sendable {
        enum CodingKeys: String, CodingKey {
            case type = "@type"
            case name
            case basicOperationStatus
        }

        let type = "type.googleapis.com/google.firebase.ml.v1beta2.ModelOperationMetadata"
        var name: String?
        let basicOperationStatus = "BASIC_OPERATION_STATUS_UNSPECIFIED"
    }

    struct Failure: Encodable, Sendable {
        var code: Int
        var message: String
    }

    struct Response: Encodable, Sendable {
        enum CodingKeys: String, CodingKey {
            case type = "@type"
        }

        let type = "type.googleapis.com/google.firebase.ml.v1beta2.Model"
        var model: ModelResource

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(type, forKey: .type)
            try model.encode(to: encoder)
        }
    }

    var name: String
    var metadata: Metadata
    let done = true
    var response: Response?
    var error: Failure?

    /// Creates the result of a change.
    init(project: String, result: Result<ModelRecord, HubError>) {
        name = "projects/\(project)/operations/\(Hexadecimal.text(RandomBytes.make(12)))"
        switch result {
        case .success(let model):
            metadata = Metadata(name: model.resourceName)
            response = Response(model: ModelResource(model))
        case .failure(let failure):
            metadata = Metadata()
            error = Failure(code: failure.code.rawValue, message: failure.message)
        }
    }
}
