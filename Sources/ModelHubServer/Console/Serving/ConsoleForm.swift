import Foundation
import HTTPServing
import NIOCore

/// The contents of a form.
struct ConsoleForm: Sendable {
    /// The fields that are not files.
    private(set) var fields: [String: String]

    /// Reads a form without files.
    ///
    /// - Throws: `.permissionDenied` if the form does not belong to this session.
    init(_ visit: ConsoleVisit) async throws {
        fields = try await visit.request.form(upTo: APIRequest.smallBodyLimit)
        try visit.checkFormToken(fields[Self.tokenField])
    }

    fileprivate init(fields: [String: String]) { self.fields = fields }

    /// The name of the field that proves the origin of the form.
    static let tokenField = "form_token"

    /// A field without surrounding spaces; empty if it is missing.
    subscript(_ name: String) -> String {
        (fields[name] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A text of several lines. Browsers send line ends as CR LF.
    func text(_ name: String) -> String { self[name].replacing("\r\n", with: "\n") }
}

/// A form with files, which are received into the hub's folder of uploads.
struct ConsoleUpload {
    /// A received file.
    struct File {
        /// The file name on the sender's disk, without folders.
        var name: String
        var staged: StagedFile
    }

    private(set) var form = ConsoleForm(fields: [:])
    private(set) var files: [String: File] = [:]

    /// The default maximum length of a field that is not a file.
    static let usualFieldLimit = 64 << 10

    /// Receives a form.
    ///
    /// - Parameter limits: The maximum size of each file field, and the error for larger files. Files in other fields
    ///   are ignored.
    /// - Parameter fieldLimit: The maximum length of a field that is not a file.
    /// - Throws: `.permissionDenied` if the form does not belong to this session; this is checked before any file
    ///   arrives.
    init(
        _ visit: ConsoleVisit,
        limits: [String: (byteCount: Int, refusal: HubError)],
        fieldLimit: Int = usualFieldLimit
    ) async throws {
        let request = visit.request
        var reader = try FormDataReader(contentType: request.headers[.contentType] ?? "")
        let total = limits.values.reduce(fieldLimit) { $0 + $1.byteCount }
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > total + (1 << 20),
            let largest = limits.values.max(by: { $0.byteCount < $1.byteCount })
        {
            throw largest.refusal
        }
        try await visit.hub.noteUsage(of: visit.caller.project.id)
        var fields: [String: String] = [:]
        var texts: [String: ByteBuffer] = [:]
        var isTrusted = false
        var pace = UploadPace()
        for try await piece in request.body {
            try pace.check(adding: piece.readableBytes)
            try reader.consume(piece) { field, content in
                if field.name != ConsoleForm.tokenField, !isTrusted {
                    try visit.checkFormToken(texts[ConsoleForm.tokenField].map { String(buffer: $0) })
                    isTrusted = true
                }
                guard let fileName = field.fileName else {
                    texts[field.name, default: ByteBuffer()].writeImmutableBuffer(content)
                    guard texts[field.name]?.readableBytes ?? 0 <= fieldLimit else {
                        throw RequestError.tooLarge(limit: fieldLimit)
                    }
                    return
                }
                // A file field without a chosen file has an empty file name.
                guard !fileName.isEmpty, let limit = limits[field.name] else { return }
                let file: File
                if let known = files[field.name] {
                    file = known
                } else {
                    file = File(
                        name: Self.lastComponent(fileName),
                        staged: try visit.hub.stage(for: visit.caller.project, limit: .max)
                    )
                    files[field.name] = file
                }
                guard content.readableBytes <= limit.byteCount - file.staged.byteCount else { throw limit.refusal }
                try file.staged.append(content)
            }
        }
        try reader.finish()
        try visit.checkFormToken(texts[ConsoleForm.tokenField].map { String(buffer: $0) })
        for (name, text) in texts { fields[name] = String(buffer: text) }
        form = ConsoleForm(fields: fields)
    }

    /// A file name without folders and control characters, shortened if necessary.
    private static func lastComponent(_ path: String) -> String {
        let name = path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        let clean = String(String.UnicodeScalarView(name.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }))
        return clean.isEmpty ? "file" : String(clean.prefix(120))
    }
}
