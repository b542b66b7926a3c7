import Crypto
import Foundation
import ModelHubProtocol

extension HubConnection {
    private struct Upload: Decodable {
        var bucket: String
        var name: String
    }

    private struct ModelBody: Encodable {
        struct File: Encodable {
            var gcsTfliteUri: String
        }

        var displayName: String?
        var tags: [String]?
        var tfliteModel: File
    }

    /// The bucket for the uploads of commands.
    private static let bucket = "models"

    /// Uploads a file for a model with a display name.
    ///
    /// - Returns: The address of the object.
    func store(_ package: ModelPackage, of name: String) async throws -> String {
        // The hash in the object's name distinguishes versions.
        let hash = SHA256.hash(data: package.data).prefix(6).hexadecimalText
        let object = "\(name)/\(hash)/\(package.fileName)"
        let target = "/upload/storage/v1/b/\(Self.bucket)/o?uploadType=media&name=\(Self.encoded(object))"
        let reply = try await send(.post, target, contentType: "application/octet-stream", body: package.data)
        let uploaded = try HubConnection.decoded(Upload.self, from: reply)
        return "gs://\(uploaded.bucket)/\(uploaded.name)"
    }

    /// Uploads a file as a new model, or as a new version of a model, which is served at once, as Firebase does it.
    func upload(_ package: ModelPackage, as name: String, tags: [String], replacing model: ModelResource?) async throws
        -> ModelResource
    {
        var body = ModelBody(tfliteModel: .init(gcsTfliteUri: try await store(package, of: name)))
        if !tags.isEmpty { body.tags = tags }
        guard let model else {
            body.displayName = name
            return try await change(.post, models(), body)
        }
        let mask = "tfliteModel.gcsTfliteUri" + (tags.isEmpty ? "" : ",tags")
        return try await change(.patch, models(model.id) + "?updateMask=\(mask)", body)
    }
}
