import Foundation
import HTTPTypes
import Hummingbird

/// The part of Cloud Storage's JSON API that the Admin SDKs upload with: `/upload/storage/v1/b/{bucket}/o`, and
/// `/storage/v1/b/{bucket}/o/{object}` to see, fetch and delete what was uploaded.
extension HubAPI {
    func storage(_ request: APIRequest) async throws -> Response {
        var path = request.path[...]
        let first = path.first
        let isUpload = first == "upload" || first == "resumable"
        // "/upload/…", "/resumable/upload/…", "/download/…" or nothing before "/storage/v1/b/{bucket}/o".
        if first == "resumable" || first == "download" { path = path.dropFirst() }
        if isUpload, path.first == "upload" { path = path.dropFirst() }
        guard path.count >= 4, path.starts(with: ["storage", "v1", "b"]) else { throw HubError.entityNotFound }
        let rest = Array(path.dropFirst(3))
        let caller = try await caller(request)
        switch (isUpload, rest.count, request.method) {
        case (true, 2, .post) where rest[1] == "o": return try await upload(request, bucket: rest[0], caller)
        case (true, 2, .put) where rest[1] == "o": return try await resume(request, caller)
        case (true, 2, .delete) where rest[1] == "o":
            _ = try await session(request, caller)
            await sessions.remove(request.query["upload_id"] ?? "")
            return Response(status: .init(code: 499))
        case (false, 1, .get):
            guard try await hub.hasBucket(rest[0], caller.project) else { throw HubError.entityNotFound }
            return try .json(["kind": "storage#bucket", "id": rest[0], "name": rest[0]])
        case (false, 3..., _) where rest[1] == "o":
            // Some clients leave the slashes of the name as they are.
            let address = try ObjectAddress(bucket: rest[0], name: rest[2...].joined(separator: "/"))
            return try await object(request, address, caller)
        default: throw HubError.entityNotFound
        }
    }

    private func object(_ request: APIRequest, _ address: ObjectAddress, _ caller: Caller) async throws -> Response {
        let project = caller.project.id
        switch request.method {
        case .get, .head:
            guard let object = try await hub.metadata.object(address.name, in: address.bucket, of: project) else {
                throw HubError.entityNotFound
            }
            guard request.query["alt"] == "media" || request.path.first == "download" else {
                return try .json(ObjectResource(object))
            }
            return try await content(of: object, request)
        case .delete:
            try caller.require(.publish)
            let isDeleted = try await hub.metadata.deleteObject(
                address.name,
                in: address.bucket,
                of: project,
                at: hub.now(),
                audit: hub.audit(caller, "object.delete", address.uri)
            )
            guard isDeleted else { throw HubError.entityNotFound }
            return .empty(.noContent)
        default: throw HubError.methodNotAllowed
        }
    }

    /// The bytes of an object.
    func content(of object: StorageObject, _ request: APIRequest) async throws -> Response {
        var response = try await files.response(for: object.hash, in: hub.blobs, to: request)
        response.headers[.googHash] = "crc32c=\(object.crc32c),md5=\(object.md5)"
        return response
    }

    private struct Description: Decodable {
        var name: String?
        var contentType: String?
    }

    private func upload(_ request: APIRequest, bucket: String, _ caller: Caller) async throws -> Response {
        try caller.require(.publish)
        switch request.query["uploadType"] {
        case "multipart": return try await uploadInParts(request, bucket, caller)
        case "resumable": return try await begin(request, bucket, caller)
        case "media":
            let address = try ObjectAddress(bucket: bucket, name: request.query["name"] ?? "")
            try request.checkLength(hub.options.maximumModelSize)
            let staged = try hub.stage()
            var pace = UploadPace()
            for try await piece in request.body {
                try pace.check(adding: piece.readableBytes)
                try staged.append(piece)
            }
            let type = request.headers[.contentType] ?? Self.defaultType
            let object = try await hub.keep(
                try staged.finish(),
                at: staged.url,
                as: address,
                contentType: type,
                by: caller
            )
            return try .json(ObjectResource(object))
        default:
            throw HubError(.invalidArgument, "An upload needs uploadType=multipart, resumable or media.")
        }
    }

    private static let defaultType = "application/octet-stream"

    private func uploadInParts(_ request: APIRequest, _ bucket: String, _ caller: Caller) async throws -> Response {
        var parts = try MultipartUpload(contentType: request.headers[.contentType] ?? "")
        try request.checkLength(hub.options.maximumModelSize + APIRequest.smallBodyLimit)
        let staged = try hub.stage()
        var pace = UploadPace()
        for try await piece in request.body {
            try pace.check(adding: piece.readableBytes)
            try parts.consume(piece) { try staged.append($0) }
        }
        try parts.finish { try staged.append($0) }
        let description = try Self.description(parts.description)
        let address = try ObjectAddress(bucket: bucket, name: description.name ?? request.query["name"] ?? "")
        let type = description.contentType ?? parts.contentType ?? Self.defaultType
        let object = try await hub.keep(try staged.finish(), at: staged.url, as: address, contentType: type, by: caller)
        return try .json(ObjectResource(object))
    }

    private static func description(_ data: Data) throws(HubError) -> Description {
        if data.isEmpty { return Description() }
        do {
            return try JSONDecoder().decode(Description.self, from: data)
        } catch {
            throw HubError(.invalidArgument, "The description of the upload is not the JSON of an object.")
        }
    }

    private func begin(_ request: APIRequest, _ bucket: String, _ caller: Caller) async throws -> Response {
        let description = try Self.description(Data(try await request.smallBody().readableBytesView))
        let address = try ObjectAddress(bucket: bucket, name: description.name ?? request.query["name"] ?? "")
        if let length = request.headers[.uploadContentLength].flatMap({ Int($0) }),
            length > hub.options.maximumModelSize
        {
            throw HubError.tooLarge(hub.options.maximumModelSize)
        }
        let type = description.contentType ?? request.headers[.uploadContentType] ?? Self.defaultType
        let id = try await sessions.add(
            UploadRecord(project: caller.project.id, bucket: address.bucket, name: address.name, contentType: type)
        )
        let location = "\(request.base)/upload/storage/v1/b/\(bucket)/o?uploadType=resumable&upload_id=\(id)"
        return .empty(.ok, headers: [.location: location, .uploadID: id])
    }

    private func session(_ request: APIRequest, _ caller: Caller) async throws -> ResumableUpload {
        guard let upload = await sessions.upload(request.query["upload_id"] ?? ""),
            upload.project == caller.project.id
        else {
            throw HubError(.notFound, "The upload is not known, or it stood still too long; begin it anew.")
        }
        return upload
    }

    private func resume(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try caller.require(.publish)
        let upload = try await session(request, caller)
        let range = try ContentRange(
            request.headers[.contentRange],
            length: request.headers[.contentLength].flatMap { Int($0) }
        )
        switch try await upload.receive(request, from: range.start, total: range.total, hub: hub, by: caller) {
        case .complete(let object): return try .json(ObjectResource(object))
        case .incomplete(let count):
            var headers = HTTPFields()
            if count > 0 { headers[.range] = "bytes=0-\(count - 1)" }
            return .empty(.permanentRedirect, headers: headers)
        }
    }
}

/// `Content-Range` of a piece: `bytes 0-99/200`, `bytes 0-99/*`, `bytes */200` to ask how much is here; none for a whole file.
struct ContentRange: Hashable {
    var start: Int?
    var total: Int?

    init(_ header: String?, length: Int?) throws(HubError) {
        guard let header else {
            (start, total) = (0, length)
            return
        }
        let malformed = HubError(.invalidArgument, "The Content-Range is malformed; send bytes FIRST-LAST/TOTAL.")
        guard header.hasPrefix("bytes ") else { throw malformed }
        let parts = header.dropFirst("bytes ".count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw malformed }
        if parts[1] != "*" {
            guard let number = Int(parts[1]), number >= 0 else { throw malformed }
            total = number
        }
        if parts[0] != "*" {
            guard let number = parts[0].split(separator: "-").first.flatMap({ Int($0) }), number >= 0 else {
                throw malformed
            }
            start = number
        }
    }
}
