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
        let node = "at the address of Google's Node client"
        let others = "at the address of Google's other clients"
        add(at: "upload/storage/v1/b", idSuffix: "", place: "", to: &routes)
        add(at: "resumable/upload/storage/v1/b", idSuffix: "AtResumableUpload", place: ", \(node)", to: &routes)
        add(at: "resumable/storage/v1/b", idSuffix: "AtResumable", place: ", \(others)", to: &routes)
        for area in ["upload/*", "resumable"] { routes.otherwise(below: area) { _ in throw HubError.entityNotFound } }
    }

    /// Adds the routes at an address for uploads. The ids and summaries of their descriptions end with the texts.
    private func add(at storage: String, idSuffix: String, place: String, to routes: inout RouteTable) {
        let bucket = "\(storage)/{bucket}/o"
        routes.on(.post, at: bucket, for: .publisher, use: upload) {
            APIOperation(.storage, "upload\(idSuffix)", "Upload a file\(place)")
                .parameters(
                    .userProject,
                    .query(
                        "uploadType",
                        "`media`: the body is the file. `multipart`: the body is the description and the file (multipart/related). `resumable`: the body is the description; send the file to the address in `Location`.",
                        .choice(["media", "multipart", "resumable"]),
                        isRequired: true
                    ),
                    .query("name", "The name of the object, unless the description has it.")
                )
                .takes(
                    [
                        "application/octet-stream": .bytes, "multipart/related": .anything,
                        "application/json": .objectInput,
                    ],
                    isRequired: false
                )
                .answers(
                    "The object. The start of a resumable upload has an empty body: its address is in the header `Location`.",
                    ["application/json": .storedObject, "text/plain": .text()],
                    headers: .header("Location", "The address of a resumable upload.")
                )
        }
        routes.on(.put, at: bucket, for: .publisher, use: resume) {
            APIOperation(.storage, "resumeUpload\(idSuffix)", "Send a part of a resumable upload\(place)")
                .parameters(
                    .uploadID,
                    .userProject,
                    .header("Content-Range", "`bytes FIRST-LAST/TOTAL`, or `bytes */TOTAL` to ask for the state.")
                )
                .takes(["application/octet-stream": .bytes], isRequired: false)
                .answers("The object; the upload is complete.", .storedObject)
                .answers("The upload is incomplete. `Range` has the part that the hub has.", status: 308)
        }
        routes.on(.delete, at: bucket, for: .publisher, use: cancel) {
            APIOperation(.storage, "cancelUpload\(idSuffix)", "Cancel a resumable upload\(place)")
                .parameters(.uploadID, .userProject)
                .answers("The upload is canceled.", status: 499)
        }
        routes.otherwise(below: "\(storage)/*") { request in
            _ = try await hub.caller(request)
            throw HubError.entityNotFound
        }
    }

    private struct Description: Decodable {
        var name: String?
        var contentType: String?
    }

    @Sendable
    private func upload(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let bucket = request["bucket"]
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
        // An empty text, as Cloud Storage's.
        return .empty(.ok, headers: [.location: location, .uploadID: id, .contentType: "text/plain; charset=utf-8"])
    }

    private static let unknownUpload = HubError(
        .notFound,
        "The upload is unknown or was inactive for too long; start it again."
    )

    @Sendable
    private func cancel(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let id = request.query["upload_id"] ?? ""
        guard try await hub.records.upload(id, of: caller.project.id) != nil else { throw Self.unknownUpload }
        try await sessions.remove(id, of: caller.project.id)
        return Response(status: .init(code: 499))
    }

    @Sendable
    private func resume(_ request: APIRequest, _ caller: Caller) async throws -> Response {
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
