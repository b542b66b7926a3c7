import Foundation
import HTTPServing
import HTTPTypes
import NIOCore

/// Bodies are read as they arrive: within the time of a request, within the limits, and within the memory for bodies.
extension AnswerService {
    /// The largest text of a form's field.
    private static let fieldLimit = 4096
    /// The largest body that is not a picture.
    private static let documentLimit = 1 << 20

    /// Reads the pictures of a request: its body itself, the files of a form in multipart/form-data, or the address in a JSON object,
    /// `{"url": "https://…"}`.
    ///
    /// - Throws: ``AnswerError``: 400 for a malformed body, 403 for an address that is not allowed, 408 for a slow body, 413 for a
    ///   large one, 503 if the memory for bodies is full.
    package func contents(of request: APIRequest) async throws(AnswerError) -> RequestContents {
        let type = (request.headers[.contentType] ?? "").lowercased()
        let fields = RequestFields(try Self.refusing { () throws(RequestError) in try request.queryFields })
        if type.hasPrefix("multipart/") { return try await form(of: request, fields) }
        if type.hasPrefix("application/json") { return try await document(of: request, fields) }
        let body = try await body(of: request, upTo: options.pictures.maximumBytes)
        guard !body.data.isEmpty else {
            throw .invalid("The request has no picture; send its bytes as the body, or as a file of a form.")
        }
        return RequestContents(
            pictures: [SentPicture(data: body.data)],
            isList: false,
            fields: fields,
            share: body.share
        )
    }

    /// Reads the body of a request.
    ///
    /// - Throws: as ``contents(of:)``.
    package func body(of request: APIRequest, upTo limit: Int) async throws(AnswerError) -> ReceivedBody {
        let share = memory.share(of: "\(request.client.network)")
        var data = Data()
        try await read(request, share, upTo: limit) { piece in data.append(contentsOf: piece.readableBytesView) }
        return ReceivedBody(data: data, share: share)
    }

    /// The files and texts of a form.
    private func form(of request: APIRequest, _ query: RequestFields) async throws(AnswerError) -> RequestContents {
        let share = memory.share(of: "\(request.client.network)")
        let limit = options.pictures.maximumBytes
        var pictures: [(name: String, data: Data)] = []
        var texts: [(name: String, data: Data)] = []
        var isNew: FormDataReader.Field?
        var reader = try Self.refusing { () throws(RequestError) in
            try FormDataReader(contentType: request.headers[.contentType] ?? "")
        }
        try await read(request, share, upTo: options.bodyBytes / 2) { piece in
            try reader.consume(piece) { field, part in
                // The reader gives an empty piece at the beginning of each field.
                if part.readableBytes == 0 {
                    if field.fileName != nil {
                        pictures.append((field.fileName ?? "", Data()))
                    } else {
                        texts.append((field.name, Data()))
                    }
                    isNew = field
                    return
                }
                let isFile = isNew?.fileName != nil
                let size = (isFile ? pictures.last : texts.last)?.data.count ?? 0
                let most = isFile ? limit : Self.fieldLimit
                guard size + part.readableBytes <= most else { throw RequestError.tooLarge(limit: most) }
                if isFile {
                    pictures[pictures.count - 1].data.append(contentsOf: part.readableBytesView)
                } else {
                    texts[texts.count - 1].data.append(contentsOf: part.readableBytesView)
                }
            }
        }
        try Self.refusing { () throws(RequestError) in try reader.finish() }
        guard !pictures.isEmpty else {
            throw .invalid("The form has no file; add a picture as a file of the form, whatever the name of its field.")
        }
        var fields = query
        for text in texts {
            guard let value = String(data: text.data, encoding: .utf8) else { throw AnswerError(.malformed) }
            fields.all.append((text.name, value))
        }
        return RequestContents(
            pictures: pictures.map {
                SentPicture(name: $0.name.isEmpty ? SentPicture.usualName : $0.name, data: $0.data)
            },
            isList: true,
            fields: fields,
            share: share
        )
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
    private func read(
        _ request: APIRequest,
        _ share: BodyMemory.Share,
        upTo limit: Int,
        _ take: (ByteBuffer) throws -> Void
    ) async throws(AnswerError) {
        if let coding = request.headers[.contentEncoding], coding.lowercased() != "identity" {
            throw AnswerError(
                .unsupportedMediaType,
                "The body has the encoding \(coding.prefix(40)); send it without an encoding."
            )
        }
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
                metrics.logger.error("a body could not be read", metadata: ["reason": "\(error)"])
                throw .failed
            }
            throw known
        }
    }

    /// A refused request, as an answer.
    private static func refusing<Value>(_ body: () throws(RequestError) -> Value) throws(AnswerError) -> Value {
        do throws(RequestError) { return try body() } catch { throw AnswerError(error) }
    }
}
