import Foundation
import HTTPTypes
import ModelHubServer
import Testing

/// Speaks to the console as a browser does that somebody is signed in with.
struct ConsoleClient: Sendable {
    let client: TestClient
    var cookie = ""

    /// Signs in with a token.
    static func signedIn(_ client: TestClient, _ token: String) async throws -> ConsoleClient {
        let reply = try await ConsoleClient(client: client).send("/console/sign-in", ["token": token])
        #expect(reply.status == 303)
        var signedIn = ConsoleClient(client: client)
        signedIn.cookie = try #require(reply.cookie)
        return signedIn
    }

    func get(_ path: String, headers: HTTPFields = HTTPFields()) async throws -> TestReply {
        var headers = headers
        if !cookie.isEmpty { headers[.cookie] = cookie }
        return try await client.send(.get, path, headers: headers, token: .some(nil))
    }

    /// Sends a form as it is, without its token.
    func send(_ path: String, _ fields: [String: String], headers: HTTPFields = HTTPFields()) async throws -> TestReply
    {
        var headers = headers
        if !cookie.isEmpty { headers[.cookie] = cookie }
        headers[.contentType] = "application/x-www-form-urlencoded"
        let body = fields.map { "\(percentEncoded($0.key))=\(percentEncoded($0.value))" }.joined(separator: "&")
        return try await client.send(.post, path, headers: headers, body: Data(body.utf8), token: .some(nil))
    }

    /// The token that forms of this session carry.
    func formToken() async throws -> String {
        let text = try await get("/console/models").text
        return String(try #require(text.firstMatch(of: /name="form_token" value="([^"]+)"/)).1)
    }

    /// Sends a form that the console gave out.
    func post(_ path: String, _ fields: [String: String] = [:]) async throws -> TestReply {
        var fields = fields
        fields["form_token"] = try await formToken()
        return try await send(path, fields)
    }

    /// Sends a form with files.
    func upload(
        _ path: String,
        _ fields: [String: String] = [:],
        files: [String: (name: String, data: Data)],
        boundary: String = "----boundary",
        isCut: Bool = false
    ) async throws -> TestReply {
        var body = Data()
        var fields = fields
        var token = fields.removeValue(forKey: "form_token")
        if token == nil { token = try await formToken() }
        // The token comes first, as in the pages.
        for (name, value) in [("form_token", token ?? "")] + fields.map({ ($0.key, $0.value) }) {
            body += Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
        }
        for (name, file) in files {
            let head =
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"\(file.name)\"\r\n"
            body += Data((head + "Content-Type: application/octet-stream\r\n\r\n").utf8) + file.data + Data("\r\n".utf8)
        }
        if !isCut { body += Data("--\(boundary)--\r\n".utf8) }
        return try await client.send(
            .post,
            path,
            headers: [.cookie: cookie, .contentType: "multipart/form-data; boundary=\(boundary)"],
            body: body,
            token: .some(nil)
        )
    }
}

extension TestReply {
    var text: String { String(decoding: body, as: UTF8.self) }
    var location: String? { headers[.location] }
    /// The form that a browser would send back.
    var cookie: String? { headers[.setCookie]?.split(separator: ";").first.map(String.init) }
}

/// A zip archive of files that are stored as they are (PKWARE, APPNOTE 6.3.10).
func zipArchive(_ files: [(name: String, data: Data)]) -> Data {
    func bytes(_ number: Int, _ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }
    var (content, directory) = (Data(), Data())
    var last: (data: Data, checksum: UInt32)?
    for file in files {
        let checksum: UInt32
        if let last, last.data == file.data { checksum = last.checksum } else { checksum = crc32(file.data) }
        last = (file.data, checksum)
        let name = Data(file.name.utf8)
        // Version, UTF-8 names, stored, time and date, checksum, both sizes, length of the name, nothing extra.
        let facts =
            bytes(20, 2) + bytes(0x0800, 2) + bytes(0, 2) + bytes(0, 4) + bytes(Int(checksum), 4)
            + bytes(file.data.count, 4) + bytes(file.data.count, 4) + bytes(name.count, 2) + bytes(0, 2)
        directory += bytes(0x0201_4b50, 4) + bytes(20, 2) + facts + bytes(0, 10) + bytes(content.count, 4) + name
        content += bytes(0x0403_4b50, 4) + facts + name + file.data
    }
    return content + directory + bytes(0x0605_4b50, 4) + bytes(0, 4) + bytes(files.count, 2) + bytes(files.count, 2)
        + bytes(directory.count, 4) + bytes(content.count, 4) + bytes(0, 2)
}

/// CRC-32 as zip has it.
private func crc32(_ data: Data) -> UInt32 {
    var checksum = ~UInt32(0)
    for byte in data {
        checksum ^= UInt32(byte)
        for _ in 0..<8 { checksum = checksum & 1 == 1 ? (checksum >> 1) ^ 0xEDB8_8320 : checksum >> 1 }
    }
    return ~checksum
}
