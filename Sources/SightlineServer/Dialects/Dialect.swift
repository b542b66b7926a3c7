import HTTPServing
import HTTPTypes
import Hummingbird

/// A protocol that clients of other servers speak, or our own: routes that ask an ``AnswerService``.
///
/// A dialect is one file or folder; ``Dialects/all(of:)`` lists them.
package protocol Dialect: Sendable {
    /// The name, which is also the chapter in `/openapi.json`.
    var name: String { get }
    /// A sentence for the description.
    var summary: String { get }

    /// Adds the routes. Their handlers throw ``AnswerError``, or any error.
    func add(to routes: inout AnswerRoutes)

    /// An error in the form that the dialect's clients expect.
    func response(to error: AnswerError) -> Response
}

extension Dialect {
    /// `{"error": "…"}` with the status of the error, as our own API has it.
    package func response(to error: AnswerError) -> Response { .answer(error) }
}

/// The dialects of the server.
package enum Dialects {
    /// All dialects of a service, in the order of the description.
    static func all(of service: AnswerService) -> [any Dialect] {
        [
            SightlineDialect(service: service), OpenInferenceDialect(service: service),
            DeepStackDialect(service: service),
            LabelStudioDialect(service: service), PhotoPrismDialect(service: service),
        ]
    }
}

extension Response {
    /// An error in the form of our own API: `{"error": "…"}`.
    static func answer(_ error: AnswerError) -> Response {
        .json(
            text: OrderedJSON.fields(["error": .text(error.message)]).json,
            status: error.status,
            headers: error.headers
        )
    }
}

extension AnswerError {
    /// The header fields that every form of the error needs.
    package var headers: HTTPFields {
        var headers = HTTPFields()
        if let retryAfter { headers[.retryAfter] = "\(retryAfter.wholeSeconds)" }
        if !methods.isEmpty { headers[.allow] = methods.map(\.rawValue).joined(separator: ", ") }
        if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        if status.endsConnection { headers[.connection] = "close" }
        return headers
    }
}
