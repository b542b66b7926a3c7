import Foundation

/// A picture of a request.
package struct SentPicture: Sendable {
    /// The name in results: the name of a form's file, the address of a picture on the web, otherwise `picture`.
    package let name: String
    /// The bytes of the file.
    package let data: Data

    /// Creates a picture.
    package init(name: String = SentPicture.usualName, data: Data) { (self.name, self.data) = (name, data) }

    /// The name of a picture that came without a name.
    package static let usualName = "picture"
}

/// The pictures and fields of a request, whose memory is counted as long as this value lives.
package struct RequestContents: Sendable {
    /// The pictures in their order, at least one.
    package let pictures: [SentPicture]
    /// Whether the request may have several pictures, and its answer is a list.
    package let isList: Bool
    /// The fields of the query, then those of the form.
    package let fields: RequestFields
    /// Keeps the bodies' bytes counted.
    let share: BodyMemory.Share
}

/// The server's token in a form, whose sender is a stranger until the form's reader meets it.
struct FormToken: Sendable {
    /// The name of the field with the token.
    let field: String
    /// Checks the token of a form; nil for a form without one.
    let check: @Sendable (String?) throws(AnswerError) -> Void
}

/// The body of a request, whose memory is counted as long as this value lives.
package struct ReceivedBody: Sendable {
    /// The bytes.
    package let data: Data
    /// Keeps the bytes counted.
    let share: BodyMemory.Share
}
