import Foundation

/// The body of an error response, in the form of Google's APIs (https://cloud.google.com/apis/design/errors).
package struct ErrorBody: Decodable, Sendable {
    private struct Content: Decodable, Sendable {
        var code: Int?
        var message: String
        var status: String?
    }

    private var error: Content

    /// The failure and the next step.
    package var message: String { error.message }

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - code: The HTTP status.
    ///   - status: The name of the canonical code, such as `NOT_FOUND`.
    package init(code: Int, message: String, status: String) {
        error = Content(code: code, message: message, status: status)
    }

    /// The body as JSON, with spaces after the colons as Google's servers write them: Firebase's iOS SDK looks for the
    /// text `"code": 403`.
    package var json: String {
        func quoted(_ text: String) -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            // A text can always be encoded.
            return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
        }
        return "{\"error\": {\"code\": \(error.code ?? 0), \"message\": \(quoted(error.message)), "
            + "\"status\": \(quoted(error.status ?? ""))}}"
    }

    /// The message in the body of a response; nil if it has another form.
    package static func message(in data: Data) -> String? {
        try? JSONDecoder().decode(ErrorBody.self, from: data).message
    }
}
