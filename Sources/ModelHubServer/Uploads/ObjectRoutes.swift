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
        add(at: "storage/v1/b", idSuffix: "", place: "", to: &routes)
        let place = ", at the address for downloads"
        add(at: "download/storage/v1/b", idSuffix: "AtDownload", place: place, to: &routes)
        for area in ["storage", "download"] { routes.otherwise(below: area) { _ in throw HubError.entityNotFound } }
    }

    /// Adds the routes at an address of objects. The ids and summaries of their descriptions end with the texts.
    private func add(at storage: String, idSuffix: String, place: String, to routes: inout RouteTable) {
        routes.on(.get, at: "\(storage)/{bucket}", for: .viewer, use: bucket) {
            APIOperation(.storage, "getBucket\(idSuffix)", "See whether a bucket exists\(place)")
                .parameters(.userProject)
                .answers("The bucket.", .bucket)
        }
        let object = "\(storage)/{bucket}/o/**"
        routes.on(.get, .head, at: object, for: .viewer, use: get) {
            APIOperation(.storage, "getObject\(idSuffix)", "Get an object or its description\(place)")
                .parameters(.userProject, .query("alt", "`media` for the file."))
                .answers(
                    "The description; with `alt=media` and at the address for downloads, the file.",
                    ["application/json": .storedObject, "application/octet-stream": .bytes]
                )
                .head("checkObject\(idSuffix)", "See whether an object exists\(place)")
        }
        routes.on(.delete, at: object, for: .publisher, use: delete) {
            APIOperation(.storage, "deleteObject\(idSuffix)", "Delete an object\(place)")
                .parameters(.userProject)
                .answers("The object is deleted. Models that use it keep their file.", status: 204)
        }
        routes.refuseOtherMethods(at: object)
        routes.otherwise(below: "\(storage)/*") { request in
            _ = try await hub.caller(request)
            throw HubError.entityNotFound
        }
    }

    @Sendable
    private func bucket(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let name = request["bucket"]
        guard try await hub.hasBucket(name, caller.project) else { throw HubError.entityNotFound }
        return try .json(["kind": "storage#bucket", "id": name, "name": name])
    }

    /// The object of a request. Some clients do not escape the slashes in its name.
    private func address(_ request: APIRequest) throws(HubError) -> ObjectAddress {
        try ObjectAddress(bucket: request["bucket"], name: request.rest)
    }

    @Sendable
    private func get(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let address = try address(request)
        guard let object = try await hub.records.object(address.name, in: address.bucket, of: caller.project.id) else {
            throw HubError.entityNotFound
        }
        guard request.query["alt"] == "media" || request.path.first == "download" else {
            return try .json(ObjectResource(object))
        }
        return try await files.response(for: object, in: hub.blobs, to: request)
    }

    @Sendable
    private func delete(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        guard try await hub.deleteObject(try address(request), by: caller) else { throw HubError.entityNotFound }
        return .empty(.noContent)
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
