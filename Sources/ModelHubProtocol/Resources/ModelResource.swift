/// A Model of firebaseml v1beta2 (https://firebase.google.com/docs/reference/ml/rest/v1beta2/projects.models).
package struct ModelResource: Codable, Sendable {
    /// Whether the model is published, and its problems.
    package struct State: Codable, Sendable {
        /// Absent from other servers' resources of models that are not published.
        package var published: Bool?
        /// The reason why the newest file cannot be published.
        package var validationError: RPCStatus?
        /// An addition to Firebase's resource: the reason why the hub cannot run the file. The model may be published
        /// anyway.
        package var warning: String?

        /// Creates a state.
        package init(published: Bool, validationError: RPCStatus? = nil, warning: String? = nil) {
            (self.published, self.validationError, self.warning) = (published, validationError, warning)
        }
    }

    /// The source of the file, and its size.
    package struct TFLiteModel: Codable, Sendable {
        package var gcsTfliteUri: String?
        package var automlModel: String?
        /// A decimal string, because numbers in JSON cannot represent 64 bits.
        package var sizeBytes: String?

        /// Creates a source.
        package init(gcsTfliteUri: String? = nil, automlModel: String? = nil, sizeBytes: String? = nil) {
            (self.gcsTfliteUri, self.automlModel, self.sizeBytes) = (gcsTfliteUri, automlModel, sizeBytes)
        }
    }

    /// `projects/PROJECT/models/ID`.
    package var name: String
    /// The name for clients.
    package var displayName: String
    /// Absent if there are no tags; the Python SDK distinguishes this from an empty list.
    package var tags: [String]?
    /// RFC 3339.
    package var createTime: String
    /// RFC 3339.
    package var updateTime: String
    package var etag: String
    /// The SHA-256 of the file.
    package var modelHash: String?
    package var state: State?
    package var tfliteModel: TFLiteModel?

    /// Creates a resource.
    package init(
        name: String,
        displayName: String,
        tags: [String]?,
        createTime: String,
        updateTime: String,
        etag: String,
        modelHash: String?,
        state: State,
        tfliteModel: TFLiteModel?
    ) {
        self.name = name
        self.displayName = displayName
        self.tags = tags
        self.createTime = createTime
        self.updateTime = updateTime
        self.etag = etag
        self.modelHash = modelHash
        self.state = state
        self.tfliteModel = tfliteModel
    }

    /// The last part of the resource name, which is unique.
    package var id: String { name.split(separator: "/").last.map(String.init) ?? name }
}

/// A page of the list of models.
package struct ModelPage: Codable, Sendable {
    /// Absent if there are no models.
    package var models: [ModelResource]?
    /// The token of the next page; absent on the last page.
    package var nextPageToken: String?

    /// Creates a page.
    package init(models: [ModelResource]?, nextPageToken: String? = nil) {
        (self.models, self.nextPageToken) = (models, nextPageToken)
    }
}

/// A google.rpc.Status (https://github.com/googleapis/googleapis/blob/master/google/rpc/status.proto).
package struct RPCStatus: Codable, Sendable, Hashable {
    /// A number of google.rpc.Code.
    package var code: Int
    package var message: String

    /// Creates a status.
    package init(code: Int, message: String) { (self.code, self.message) = (code, message) }
}
