import Foundation

/// The pages of a server that only this machine can reach.
package protocol LoopbackSite: Sendable {
    /// Returns the answer to a request for a path, without a query; nil if nothing is there.
    func answer(to path: String) -> LoopbackAnswer?

    /// Returns the answer to JSON that a page of the site has posted to a path; nil if nothing is posted there.
    func answer(toPosted json: Data, at path: String) -> LoopbackAnswer?
}

/// The answer of a site to a request.
package enum LoopbackAnswer: Sendable {
    /// Bytes of a type, such as `text/css; charset=utf-8`.
    case content(Data, type: String)
    /// The pictures that the server shows, as a motion JPEG.
    case stream

    /// The answer for a page of HTML.
    package static func page(_ text: String) -> Self { .content(Data(text.utf8), type: "text/html; charset=utf-8") }

    /// The answer for plain text.
    package static func text(_ text: String) -> Self { .content(Data(text.utf8), type: "text/plain; charset=utf-8") }
}

extension LoopbackSite {
    /// Nil: nothing is posted.
    package func answer(toPosted json: Data, at path: String) -> LoopbackAnswer? { nil }

    /// The text as HTML shows it, also in the quotes of an attribute.
    package static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
