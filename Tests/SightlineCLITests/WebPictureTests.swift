import Foundation
import SightlineTestSupport
import Testing

/// Pictures behind http addresses.
@Suite(.hangLimit) struct WebPictureTests {
    private let label = ["label", "--model", Command.classifier, "--format", "jsonl"]

    private func server() throws -> LoopbackServer {
        let red = try Pictures.png(red: 255)
        return try LoopbackServer { request in
            switch request.path {
            case "/red.png?size=1": .init(body: red)
            case "/moved": .redirect(to: "/red.png?size=1")
            case "/loop": .redirect(to: "/loop")
            case "/page": .init(body: Data("<html>".utf8))
            default: .init(status: 404)
            }
        }
    }

    @Test(arguments: ["/red.png?size=1", "/moved"]) func aPictureIsReadFromItsAddress(path: String) async throws {
        let server = try server()
        let result = try await Command.run(label + [server.address + path])
        #expect(result.status == 0, "\(result.errors)")
        let record = try #require(try result.records().first)
        #expect(record["image"] as? String == server.address + path)
        #expect((record["labels"] as? [[String: Any]])?.first?["text"] as? String == "red")
    }

    @Test func aListMayHaveAddressesAndPaths() async throws {
        let server = try server()
        try await withTemporaryFolder { folder in
            try Pictures.write(["a.png": try Pictures.png(red: 255)], in: folder)
            let list = Data("a.png\n\(server.address)/red.png?size=1\n".utf8)
            let result = try await Command.run(label + ["--stdin"], input: list, in: folder)
            #expect(result.status == 0, "\(result.errors)")
            let records = try result.records()
            #expect(records.allSatisfy { $0["error"] == nil } && records.count == 2)
        }
    }

    @Test func aFrameMayBeAnAddress() async throws {
        let server = try server()
        let frames = ["/red.png?size=1 red", "/missing missing", "/moved moved"].map { "@\(server.address)\($0)\n" }
            .joined()
        let arguments = label + ["--stdin-format", "frames", "--keep-going"]
        let records = try await Command.run(arguments, input: Data(frames.utf8)).records()
        #expect(records.map { $0["image"] as? String } == ["red", "missing", "moved"])
        #expect(records.map { $0["error"] != nil } == [false, true, false])
    }

    @Test func anAnnotatedPictureIsNamedByHostAndPath() async throws {
        let server = try server()
        try await withTemporaryFolder { folder in
            let arguments = ["detect", "--model", Command.detector, "--annotate", "out/"]
            let result = try await Command.run(arguments + [server.address + "/red.png?size=1"], in: folder)
            #expect(result.status == 0, "\(result.errors)")
            #expect(FileManager.default.fileExists(atPath: folder.path + "/out/127.0.0.1/red.png"))
        }
    }

    @Test(arguments: [
        ("/missing", "the server returned status 404"), ("/loop", "it redirects more than 5 times"),
        ("/page", "Sightline reads JPEG"),
    ])
    func whatCannotBeReadSaysWhy(path: String, reason: String) async throws {
        let server = try server()
        let result = try await Command.run(["label", "--model", Command.classifier, server.address + path])
        #expect(result.status == 2)
        #expect(result.errors.contains(reason), "\(result.errors)")
    }

    @Test func aServerThatIsNotThereIsNamed() async throws {
        let (socket, port) = try Loopback.listener()
        close(socket)
        let result = try await Command.run(["label", "--model", Command.classifier, "http://127.0.0.1:\(port)/a.png"])
        #expect(result.status == 2)
        #expect(result.errors.contains("http://127.0.0.1:\(port)/a.png cannot be read: "))
    }
}
