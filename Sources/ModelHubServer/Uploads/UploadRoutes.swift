import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import ModelHubProtocol

/// The part of Cloud Storage's JSON API by which the Admin SDKs upload objects: `/upload/storage/v1/b/{bucket}/o`.
struct UploadRoutes {
    let hub: Hub
    private let sessions: UploadSessions

    init(hub: Hub) {
        self.hub = hub
        sessions = UploadSessions(hub)
    }

    func add(to routes: inout RouteTable) {
        for storage in ["upload/storage/v1/b", "resumable/upload/storage/v1/b", "resumable/storage/v1/b"] {
            routes.on(.post, at: "\(storage)/{bucket}/o", use: upload)
            routes.on(.put, at: "\(storage)/{bucket}/o", use: resume)
            routes.on(.delete, at: "\(storage)/{bucket}/o", use: cancel)
            routes.otherwise(below: "\(storage)/*") { request in
                _ = try await hub.caller(request)
                throw HubError.entityNotFound
            }
        }
        for area in ["upload/*", "resumable"] { routes.otherwise(below: area) { _ in throw HubError.entityNotFound } }
    }

    private struct Description: Decodable {
        var name: String?
        var contentType: String?
    }

    @Sendable
    private func upload(_ request: APIRequest) async throws -> Response {
        let caller = try await hub.caller(request)
        let bucket = request["bucket"]
        try caller.require(.publisher)
        await sessions.closeInactive()
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
            return try await keep(staged, as: address, type, caller)
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
        return try await keep(staged, as: address, type, caller)
    }

    /// Stores a received file as an object.
    private func keep(
        _ staged: StagedFile,
        as address: ObjectAddress,
        _ contentType: String,
        _ caller: Caller
    ) async throws -> Response {
        let object = try await hub.keep(
            try staged.finish(),
            at: staged.url,
            entry: staged.entry,
            as: address,
            contentType: contentType,
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
            guard length <= hub.options.maximumModelSize else {
                throw RequestError.tooLarge(limit: hub.options.maximumModelSize)
            }
            try hub.ledger.check(max(length, 0), of: caller.project.id)
        }
        let type = try Self.contentType(description.contentType ?? request.headers[.uploadContentType])
        let id = try await sessions.add(to: address, contentType: type, of: caller.project.id)
        let location = "\(request.base)/upload/storage/v1/b/\(bucket)/o?uploadType=resumable&upload_id=\(id)"
        return .empty(.ok, headers: [.location: location, .uploadID: id])
    }

    private static let unknownUpload = HubError(
        .notFound,
        "The upload is unknown or was inactive for too long; start it again."
    )

    @Sendable
    private func cancel(_ request: APIRequest) async throws -> Response {
        let caller = try await hub.caller(request)
        try caller.require(.publisher)
        let id = request.query["upload_id"] ?? ""
        guard try await hub.records.upload(id, of: caller.project.id) != nil else { throw Self.unknownUpload }
        try await sessions.remove(id, of: caller.project.id)
        return Response(status: .init(code: 499))
    }

    @Sendable
    private func resume(_ request: APIRequest) async throws -> Response {
        let caller = try await hub.caller(request)
        try caller.require(.publisher)
        let range = try Self.place(of: request)
        let id = request.query["upload_id"] ?? ""
        guard let (upload, record) = try await sessions.upload(id, of: caller.project.id) else {
            // The last response may have been lost.
            let object = try await hub.records.object(ofUpload: id, of: caller.project.id)
            guard let object else { throw Self.unknownUpload }
            return try .json(ObjectResource(object))
        }
        switch try await upload.receive(request, of: record, from: range.start, total: range.total, by: caller) {
        case .complete(let object):
            // If this fails, the clean-up removes the bytes.
            try? await sessions.forget(id)
            return try .json(ObjectResource(object))
        case .incomplete(let count):
            var headers = HTTPFields()
            if count > 0 { headers[.range] = "bytes=0-\(count - 1)" }
            return .empty(.permanentRedirect, headers: headers)
        case .refused(let error):
            try await sessions.remove(id, of: caller.project.id)
            throw error
        }
    }

    /// The place of a request's body in an upload. It is nil in a request for the state of the upload; without a header,
    /// the body is the whole file.
    private static func place(of request: APIRequest) throws(HubError) -> (start: Int?, total: Int?) {
        guard let header = request.headers[.contentRange] else {
            return (0, request.headers[.contentLength].flatMap { Int($0) })
        }
        guard let range = ContentRange(header) else {
            throw HubError(.invalidArgument, "The Content-Range is malformed; send bytes FIRST-LAST/TOTAL.")
        }
        return (range.part?.lowerBound, range.byteCount)
    }
}
