import Foundation
import HTTPServing
import NIOCore

/// Forms are read as they arrive. Before the token of a server that needs one, little is read: a form in which it comes after the picture,
/// as clients of DeepStack in C# and JavaScript write it, takes memory that no other request uses.
extension AnswerService {
    /// The largest text of a form's field.
    private static let fieldLimit = 4096
    /// The bytes around the picture of a form.
    private static let frameLimit = 64 << 10

    /// The bytes of a form that are read before the sender's token: a picture, and at most what a client may take.
    private var strangersLimit: Int {
        min(options.pictures.maximumBytes + Self.frameLimit, strangersMemory.limit / 2)
    }

    /// The files and texts of a form.
    ///
    /// - Parameters:
    ///   - query: the fields of the query.
    ///   - token: the token that the form shall have; nil if the sender has shown it, or needs none.
    /// - Throws: as ``contents(of:from:)``.
    func form(
        of request: APIRequest,
        _ query: RequestFields,
        from token: FormToken?
    ) async throws(AnswerError) -> RequestContents {
        guard request.headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true else {
            throw AnswerError(.unsupportedMediaType, "The form has an encoding; send it without one.")
        }
        let memory = memory
        let share = (token == nil ? memory : strangersMemory).share(of: "\(request.client.network)")
        var parts = Parts(pictureLimit: options.pictures.maximumBytes, fieldLimit: Self.fieldLimit)
        var stranger = token
        var count = 0
        var reader = try Self.refusing { () throws(RequestError) in
            try FormDataReader(contentType: request.headers[.contentType] ?? "")
        }
        func admit() throws(AnswerError) {
            guard let waiting = stranger, let sent = parts.finishedText(named: waiting.field) else { return }
            try waiting.check(sent)
            try share.move(to: memory)
            stranger = nil
        }
        try await read(request, share, upTo: options.bodyBytes / 2) { piece in
            count += piece.readableBytes
            try reader.consume(piece) { field, part in
                try parts.add(part, to: field)
                try admit()
            }
            guard stranger == nil || count <= strangersLimit else { throw AnswerError.keyAfterPicture }
        }
        try Self.refusing { () throws(RequestError) in try reader.finish() }
        parts.finish()
        try admit()
        try stranger?.check(nil)
        guard !parts.pictures.isEmpty else {
            throw .invalid(
                "The form has no file; add a picture as a file of the form, with any name of its field (curl --form image=@photo.jpg)."
            )
        }
        var fields = query
        for text in parts.texts {
            guard let value = String(data: text.data, encoding: .utf8) else { throw AnswerError(.malformed) }
            fields.all.append((text.name, value))
        }
        return RequestContents(
            pictures: parts.pictures.map {
                SentPicture(name: $0.name.isEmpty ? SentPicture.usualName : $0.name, data: $0.data)
            },
            isList: true,
            fields: fields,
            share: share
        )
    }
}

/// The parts of a form so far.
private struct Parts {
    let pictureLimit: Int
    let fieldLimit: Int
    private(set) var pictures: [(name: String, data: Data)] = []
    private(set) var texts: [(name: String, data: Data)] = []
    private var isInFile = false
    /// The number of texts that are complete.
    private var finished = 0

    init(pictureLimit: Int, fieldLimit: Int) { (self.pictureLimit, self.fieldLimit) = (pictureLimit, fieldLimit) }

    /// Adds a piece of a field. The reader gives an empty piece at the beginning of each field.
    ///
    /// - Throws: ``AnswerError``: 413 for a large picture or text.
    mutating func add(_ part: ByteBuffer, to field: FormDataReader.Field) throws(AnswerError) {
        guard part.readableBytes > 0 else {
            finish()
            isInFile = field.fileName != nil
            if let name = field.fileName { pictures.append((name, Data())) } else { texts.append((field.name, Data())) }
            return
        }
        if isInFile, let last = pictures.indices.last {
            guard pictures[last].data.count + part.readableBytes <= pictureLimit else {
                throw AnswerError(RequestError.tooLarge(limit: pictureLimit))
            }
            pictures[last].data.append(contentsOf: part.readableBytesView)
        } else if let last = texts.indices.last {
            guard texts[last].data.count + part.readableBytes <= fieldLimit else {
                throw AnswerError(
                    .contentTooLarge,
                    "The form's field \(field.name.prefix(60)) has more than \(fieldLimit) bytes; send a picture as a file, with a file name (curl --form image=@photo.jpg)."
                )
            }
            texts[last].data.append(contentsOf: part.readableBytesView)
        }
    }

    /// Ends the last field.
    mutating func finish() { finished = texts.count }

    /// The first complete text of a field; nil while there is none.
    func finishedText(named name: String) -> String? {
        texts.prefix(finished).first { $0.name == name }.map { String(decoding: $0.data, as: UTF8.self) }
    }
}
