import Foundation
import HubTestSupport

/// A hub's description of the model "plants", and its file, for servers that get one of them wrong.
struct LyingHub: Sendable {
    var file: Data
    /// The hash in the description; nil for the true one.
    var hash: String?
    /// The size in the description; nil for the true one.
    var size: String?
    var expireTime = "2999-01-01T00:00:00.000Z"

    init(_ file: Data) { self.file = file }

    static let infoPath = "/v1beta2/projects/my-plants/models/plants:download"

    /// The answer to `:download`, or to a request for the file.
    func reply(to request: ScriptedServer.Request, of server: ScriptedServer) -> ScriptedServer.Reply {
        request.path.hasPrefix("/v1beta2/") ? info(to: request, of: server) : content(for: request)
    }

    func info(to request: ScriptedServer.Request, of server: ScriptedServer) -> ScriptedServer.Reply {
        let etag = hash ?? sha256(file)
        if request.headers.first(name: "if-none-match") == etag {
            return ScriptedServer.Reply(status: 304, headers: [("ETag", etag)])
        }
        let body = """
            {"downloadUri":"\(server.address)/file","expireTime":"\(expireTime)",\
            "sizeBytes":"\(size ?? "\(file.count)")","modelFormat":"TFLITE"}
            """
        return ScriptedServer.Reply(headers: [("ETag", etag)], body: Data(body.utf8))
    }

    /// The file, or the rest of it.
    func content(for request: ScriptedServer.Request) -> ScriptedServer.Reply {
        guard let range = request.headers.first(name: "range"), range.hasPrefix("bytes="),
            let start = Int(range.dropFirst(6).dropLast()), start < file.count,
            request.headers.first(name: "if-range") == "\"\(hash ?? sha256(file))\""
        else { return ScriptedServer.Reply(body: file) }
        return ScriptedServer.Reply(
            status: 206,
            headers: [("Content-Range", "bytes \(start)-\(file.count - 1)/\(file.count)")],
            body: file.dropFirst(start)
        )
    }
}
