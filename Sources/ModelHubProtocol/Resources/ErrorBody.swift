import Foundation

/// The body of an error response, in the form of Google's APIs (https://cloud.google.com/apis/design/errors).
package struct ErrorBody: Codable, Sendable {
    private struct Content: Codable, Sendable {
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

    /// The message in the body of a response; nil if it has another form.
    package static func message(in data: Data) -> String? {
        try? JSONDecoder().decode(ErrorBody.self, from: data).message
    }
}
