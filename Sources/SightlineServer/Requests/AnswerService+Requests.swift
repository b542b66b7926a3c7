import Foundation
import HTTPServing
import HTTPTypes
import NIOCore

/// Bodies are read as they arrive: within the time of a request, within the limits, and within the memory for bodies.
extension AnswerService {
    /// The largest body that is not a picture.
    private static let documentLimit = 1 << 20

    /// Reads the pictures of a request: its body itself, the files of a form in multipart/form-data, or the address in a JSON object,
    /// `{"url": "https://…"}`.
    ///
    /// - Parameter token: the token that the request shall have as a field; nil if the sender has shown it, or needs none.
    /// - Throws: ``AnswerError``: 400 for a malformed body, 401 without the token, 403 for an address that is not allowed, 408 for a
    ///   slow body, 413 for a large one, 503 if the memory for bodies is full.
    func contents(of request: APIRequest, from token: FormToken? = nil) async throws(AnswerError) -> RequestContents {
        let type = (request.headers[.contentType] ?? "").lowercased()
        let fields = RequestFields(try Self.refusing { () throws(RequestError) in try request.queryFields })
        var token = token
        // Only a form can have the token later.
        if let known = token, fields[known.field] != nil || !type.hasPrefix("multipart/") {
            try known.check(fields[known.field])
            token = nil
        }
        if type.hasPrefix("multipart/") { return try await form(of: request, fields, from: token) }
        if type.hasPrefix("application/json") { return try await document(of: request, fields) }
        let body = try await body(of: request, upTo: options.pictures.maximumBytes)
        guard !body.data.isEmpty else {
            throw .invalid("The request has no picture; send its bytes as the body, or as a file of a form.")
        }
        if type.hasPrefix("application/x-www-form-urlencoded"), Self.isFields(body.data) {
            throw .invalid(
                "The body is a form without a file; send the picture's bytes (curl --data-binary @photo.jpg), or a form with a file (curl --form image=@photo.jpg)."
            )
        }
        return RequestContents(
            pictures: [SentPicture(data: body.data)],
            isList: false,
            fields: fields,
            share: body.share
        )
    }

    /// Whether bytes are fields such as `threshold=0.4`, and no picture. Programs send pictures, too, under the type of such fields.
    private static func isFields(_ data: Data) -> Bool {
        data.count <= 64 << 10 && data.contains(UInt8(ascii: "=")) && data.allSatisfy { (33...126).contains($0) }
    }

    /// Reads the body of a request.
    ///
    /// - Parameter inflates: whether the body may be compressed, as gzip or by zlib.
    /// - Throws: as ``contents(of:from:)``.
    package func body(
        of request: APIRequest,
        upTo limit: Int,
        inflates: Bool = false
    ) async throws(AnswerError) -> ReceivedBody {
        let share = memory.share(of: "\(request.client.network)")
        let coding = request.headers[.contentEncoding].map { $0.lowercased() } ?? "identity"
        let isPacked = inflates && ["gzip", "x-gzip", "deflate"].contains(coding)
        guard isPacked || coding == "identity" else {
            throw AnswerError(
                .unsupportedMediaType,
                "The body has the encoding \(coding.prefix(40)); send it without an encoding."
            )
        }
        var data = Data()
        try await read(request, share, upTo: limit) { piece in data.append(contentsOf: piece.readableBytesView) }
        guard isPacked else { return ReceivedBody(data: data, share: share) }
        guard let inflated = Gzip.inflated(ByteBuffer(bytes: data), limit: limit) else {
            throw .invalid(
                "The body is not \(coding) data, or inflates to more than \(limit) bytes; send it without an encoding."
            )
        }
        try share.take(inflated.readableBytes)
        return ReceivedBody(data: Data(inflated.readableBytesView), share: share)
    }

    /// Checks that a request says that its body is JSON. A web page of another site cannot say so without asking first.
    ///
    /// - Throws: ``AnswerError``: 415 otherwise.
    func requireJSON(_ request: APIRequest) throws(AnswerError) {
        let type = (request.headers[.contentType] ?? "").prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        guard type.lowercased() == "application/json" else {
            throw AnswerError(
                .unsupportedMediaType,
                "The body shall be JSON; send it with `Content-Type: application/json`."
            )
        }
    }

    /// The picture at the address in a JSON object.
    private func document(of request: APIRequest, _ fields: RequestFields) async throws(AnswerError) -> RequestContents
    {
        struct Document: Decodable { var url: String }
        let body = try await body(of: request, upTo: Self.documentLimit)
        guard let document = try? JSONDecoder().decode(Document.self, from: body.data) else {
            throw .invalid(
                "The body is not a JSON object with \"url\"; send {\"url\": \"https://…\"}, or the bytes of a picture."
            )
        }
        let picture = try await fetcher.picture(at: document.url, for: AnswerClient(request), share: body.share)
        return RequestContents(
            pictures: [SentPicture(name: document.url, data: picture)],
            isList: false,
            fields: fields,
            share: body.share
        )
    }

    /// The maximum duration for receiving a body.
    private static let bodyTime = Duration.seconds(30)

    /// Reads a body piece by piece.
    func read(
        _ request: APIRequest,
        _ share: BodyMemory.Share,
        upTo limit: Int,
        _ take: (ByteBuffer) throws -> Void
    ) async throws(AnswerError) {
        do {
            try request.checkLength(limit)
            let end = ContinuousClock.now + Self.bodyTime
            var count = 0
            for try await piece in request.body {
                count += piece.readableBytes
                guard count <= limit else { throw RequestError.tooLarge(limit: limit) }
                guard ContinuousClock.now < end else { throw RequestError.tooSlow }
                try share.take(piece.readableBytes)
                try take(piece)
            }
        } catch {
            guard let known = AnswerError(cause: error) else {
                metrics.report("a body could not be read", error)
                throw .failed
            }
            throw known
        }
    }

    /// A refused request, as an answer.
    static func refusing<Value>(_ body: () throws(RequestError) -> Value) throws(AnswerError) -> Value {
        do throws(RequestError) { return try body() } catch { throw AnswerError(error) }
    }
}
