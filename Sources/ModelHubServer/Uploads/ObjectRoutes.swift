import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird

/// The part of Cloud Storage's JSON API by which the Admin SDKs read and delete objects:
/// `/storage/v1/b/{bucket}/o/{object}`.
struct ObjectRoutes {
    let hub: Hub
    let files: FileResponder

    func add(to routes: inout RouteTable) {
        for storage in ["storage/v1/b", "download/storage/v1/b"] {
            routes.on(.get, at: "\(storage)/{bucket}", use: bucket)
            routes.onAnyMethod(at: "\(storage)/{bucket}/o/**", use: object)
            routes.otherwise(below: "\(storage)/*") { request in
                _ = try await hub.caller(request)
                throw HubError.entityNotFound
            }
        }
        for area in ["storage", "download"] { routes.otherwise(below: area) { _ in throw HubError.entityNotFound } }
    }

    @Sendable
    private func bucket(_ request: APIRequest) async throws -> Response {
        let caller = try await hub.caller(request)
        let name = request["bucket"]
        guard try await hub.hasBucket(name, caller.project) else { throw HubError.entityNotFound }
        return try .json(["kind": "storage#bucket", "id": name, "name": name])
    }

    /// Reads or deletes an object. Some clients do not escape the slashes in its name.
    @Sendable
    private func object(_ request: APIRequest) async throws -> Response {
        let caller = try await hub.caller(request)
        let address = try ObjectAddress(bucket: request["bucket"], name: request.rest)
        let project = caller.project.id
        switch request.method {
        case .get, .head:
            guard let object = try await hub.records.object(address.name, in: address.bucket, of: project) else {
                throw HubError.entityNotFound
            }
            guard request.query["alt"] == "media" || request.path.first == "download" else {
                return try .json(ObjectResource(object))
            }
            return try await files.response(for: object, in: hub.blobs, to: request)
        case .delete:
            try caller.require(.publisher)
            guard try await hub.deleteObject(address, by: caller) else { throw HubError.entityNotFound }
            return .empty(.noContent)
        default: throw HubError.methodNotAllowed
        }
    }
}

extension FileResponder {
    /// The bytes of an object.
    func response(for object: StorageObject, in blobs: any BlobStore, to request: APIRequest) async throws -> Response {
        var response = try await response(for: object.hash, in: blobs, to: request)
        response.headers[.googHash] = "crc32c=\(object.crc32c),md5=\(object.md5)"
        return response
    }
}
