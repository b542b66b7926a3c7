import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The hub's API without a network, for commands on the hub's machine.
///
/// Commands use the same code and the same checks as clients, with all rights.
package struct InProcessHub: Sendable {
    /// A response.
    package struct Reply: Sendable {
        /// The HTTP status.
        package var status: Int
        /// The header fields.
        package var headers: HTTPFields
        /// The body; empty if it was written to a file.
        package var body: ByteBuffer
    }

    private let api: HubAPI
    /// The project where a path names none.
    private let project: String?

    /// The beginning of issued addresses.
    package static let base = "http://hub.invalid"

    /// Creates the API of a hub.
    ///
    /// - Parameters:
    ///   - hub: The hub.
    ///   - project: The project where a path names none; nil for the only project of the hub.
    package init(_ hub: Hub, project: Project?) {
        self.project = project?.id
        api = HubAPI(hub, server: nil)
    }

    /// Sends a request to a target, that is, a percent-encoded path and query. The body of a successful response is
    /// written to `file` if it is not nil.
    package func send(
        _ method: HTTPRequest.Method,
        _ target: String,
        contentType: String? = nil,
        headers: HTTPFields = HTTPFields(),
        body: RequestBody = RequestBody(buffer: ByteBuffer()),
        writingTo file: FileHandle? = nil
    ) async throws -> Reply {
        var head = HTTPRequest(method: method, scheme: "http", authority: nil, path: target)
        head.headerFields = headers
        if let project { head.headerFields[.googUserProject] = project }
        if let contentType { head.headerFields[.contentType] = contentType }
        let context = ServingContext(
            base: Self.base,
            logger: Logger(label: "sightline-hub") { _ in SwiftLogNoOpLogHandler() }
        )
        let response = try await api.respond(to: Request(head: head, body: body), context: context)
        let collector = BodyCollector(file: response.status.code < 300 ? file : nil)
        try await response.body.write(collector)
        return Reply(status: response.status.code, headers: response.headers, body: collector.buffer)
    }
}

/// Receives the body of a response, in memory or in a file. Used by a single task.
private final class BodyCollector: ResponseBodyWriter {
    private(set) var buffer = ByteBuffer()
    private let file: FileHandle?

    init(file: FileHandle?) { self.file = file }

    func write(_ piece: ByteBuffer) async throws {
        if let file {
            try file.write(contentsOf: Data(piece.readableBytesView))
        } else {
            buffer.writeImmutableBuffer(piece)
        }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
