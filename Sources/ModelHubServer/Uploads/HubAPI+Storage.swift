import Foundation
import HTTPTypes
import Hummingbird

/// The part of Cloud Storage's JSON API that the Admin SDKs use: `/upload/storage/v1/b/{bucket}/o` for uploads, and
/// `/storage/v1/b/{bucket}/o/{object}` to read and delete objects.
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
            return try await cancel(request, caller)
        case (false, 1, .get):
            guard try await hub.hasBucket(rest[0], caller.project) else { throw HubError.entityNotFound }
            return try .json(["kind": "storage#bucket", "id": rest[0], "name": rest[0]])
        case (false, 3..., _) where rest[1] == "o":
            // Some clients do not escape the slashes in the name.
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
            guard try await hub.deleteObject(address, by: caller) else { throw HubError.entityNotFound }
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
        await sessions.removeOld()
        try await hub.noteUsage(of: caller.project.id)
        switch request.query["uploadType"] {
        case "multipart": return try await uploadInParts(request, bucket, caller)
        case "resumable": return try await begin(request, bucket, caller)
        case "media":
            let address = try ObjectAddress(bucket: bucket, name: request.query["name"] ?? "")
            try request.checkLength(hub.options.maximumModelSize)
            let type = try Self.contentType(request.headers[.contentType])
            try hub.ledger.check(request.headers[.contentLength].flatMap { Int($0) } ?? 0, of: caller.project.id)
            let staged = try hub.stage(for: caller.project)
            var pace = UploadPace()
            for try await piece in request.body {
                try pace.check(adding: piece.readableBytes)
                try staged.append(piece)
            }
            let object = try await hub.keep(
                try staged.finish(),
                at: staged.url,
                entry: staged.entry,
                as: address,
                contentType: type,
                by: caller
            )
            return try .json(ObjectResource(object))
        default:
            throw HubError(.invalidArgument, "An upload needs uploadType=multipart, resumable or media.")
        }
    }

    /// The content type of an object, which is stored with it.
    private static func contentType(_ text: String?) throws(HubError) -> String {
        guard let text else { return "application/octet-stream" }
        guard text.utf8.count <= 255, text.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }) else {
            throw HubError(
                .invalidArgument,
                "A content type has at most 255 bytes and no control characters; this one has \(text.utf8.count) bytes."
            )
        }
        return text
    }

    private func uploadInParts(_ request: APIRequest, _ bucket: String, _ caller: Caller) async throws -> Response {
        var parts = try MultipartUpload(contentType: request.headers[.contentType] ?? "")
        try request.checkLength(hub.options.maximumModelSize + APIRequest.smallBodyLimit)
        let staged = try hub.stage(for: caller.project)
        var pace = UploadPace()
        for try await piece in request.body {
            try pace.check(adding: piece.readableBytes)
            try parts.consume(piece) { try staged.append($0) }
        }
        try parts.finish { try staged.append($0) }
        let description = try Self.description(parts.description)
        let address = try ObjectAddress(bucket: bucket, name: description.name ?? request.query["name"] ?? "")
        let type = try Self.contentType(description.contentType ?? parts.contentType)
        let object = try await hub.keep(
            try staged.finish(),
            at: staged.url,
            entry: staged.entry,
            as: address,
            contentType: type,
            by: caller
        )
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
        if let length = request.headers[.uploadContentLength].flatMap({ Int($0) }) {
            guard length <= hub.options.maximumModelSize else { throw HubError.tooLarge(hub.options.maximumModelSize) }
            try hub.ledger.check(max(length, 0), of: caller.project.id)
        }
        let type = try Self.contentType(description.contentType ?? request.headers[.uploadContentType])
        let id = try await sessions.add(
            UploadRecord(project: caller.project.id, bucket: address.bucket, name: address.name, contentType: type)
        )
        let location = "\(request.base)/upload/storage/v1/b/\(bucket)/o?uploadType=resumable&upload_id=\(id)"
        return .empty(.ok, headers: [.location: location, .uploadID: id])
    }

    /// The id of a request's upload, and the upload itself unless it has ended.
    private func session(_ request: APIRequest, _ caller: Caller) async -> (id: String, upload: ResumableUpload?) {
        let id = request.query["upload_id"] ?? ""
        let upload = await sessions.upload(id)
        return (id, upload?.project == caller.project.id ? upload : nil)
    }

    private static let unknownUpload = HubError(
        .notFound,
        "The upload is unknown or was inactive for too long; start it again."
    )

    private func cancel(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try caller.require(.publish)
        let (id, upload) = await session(request, caller)
        guard upload != nil else { throw Self.unknownUpload }
        await sessions.remove(id)
        return Response(status: .init(code: 499))
    }

    private func resume(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try caller.require(.publish)
        let range = try ContentRange(
            request.headers[.contentRange],
            length: request.headers[.contentLength].flatMap { Int($0) }
        )
        let (id, upload) = await session(request, caller)
        guard let upload else {
            // The last response may have been lost.
            let object = try await hub.metadata.object(ofUpload: id, of: caller.project.id)
            guard let object else { throw Self.unknownUpload }
            return try .json(ObjectResource(object))
        }
        switch try await upload.receive(request, from: range.start, total: range.total, by: caller) {
        case .complete(let object):
            await sessions.remove(id)
            return try .json(ObjectResource(object))
        case .incomplete(let count):
            var headers = HTTPFields()
            if count > 0 { headers[.range] = "bytes=0-\(count - 1)" }
            return .empty(.permanentRedirect, headers: headers)
        case .refused(let error):
            await sessions.remove(id)
            throw error
        }
    }
}

/// `Content-Range` of a piece: `bytes 0-99/200`, `bytes 0-99/*`, or `bytes */200` to request the state of the upload;
/// absent for a whole file.
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
