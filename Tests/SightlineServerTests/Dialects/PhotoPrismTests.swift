import Foundation
import Sightline
import SightlineServer
import SightlineTestSupport
import SightlineTesting
import Testing

@Suite(.hangLimit)
struct PhotoPrismTests {
    private static let path = "/api/v1/vision/labels"

    @Test func aPictureHasLabels() async throws {
        try await TestServer.with { server in
            // As PhotoPrism 260601 writes it.
            let request: [String: Any] = [
                "id": "3487da77-246e-4b4c-9437-67507177bcd7", "suffix": "", "stream": false,
                "images": [try TestScene.plain(.blue).address()],
            ]
            let reply = try await server.post(Self.path, json: request)
            #expect(reply.status == 200 && reply.number("code") == 200)
            #expect(reply.string("id") == "3487da77-246e-4b4c-9437-67507177bcd7")
            #expect(reply.string("model.type") == "labels" && reply.string("model.name") == "colors")
            #expect(reply.string("result.labels.0.name") == "blue" && reply.string("result.labels.0.source") == "image")
            #expect((reply.number("result.labels.0.confidence") ?? 0) > 0.5)
        }
    }

    @Test func severalPicturesShareTheirLabels() async throws {
        try await TestServer.with { server in
            let images = [TestScene.Color.red, .blue, .red].map { TestScene.plain($0) }
            let reply = try await server.post(Self.path, json: ["images": try images.map { try $0.address() }])
            let names = (0..<2).compactMap { reply.string("result.labels.\($0).name") }
            #expect(Set(names) == ["red", "blue"] && reply.count("result.labels") == 2, "\(reply.text)")
        }
    }

    @Test(arguments: [("colors:latest", 200), ("COLORS", 200), ("nasnet:latest", 404), ("blocks", 400)])
    func aModelIsChosenByItsName(model: String, status: Int) async throws {
        try await TestServer.with { server in
            let request: [String: Any] = ["model": model, "images": [try TestScene.plain(.red).address()]]
            let reply = try await server.post(Self.path, json: request)
            #expect(reply.status == status && reply.number("code") == Double(status), "\(reply.text)")
        }
    }

    @Test(arguments: [
        (#"{"images": []}"#, 400), (#"{"url": "https://example.org/a.jpg"}"#, 403), ("[", 400),
        (#"{"images": 1}"#, 400),
        (#"{"images": ["data:image/jpeg;base64,////"]}"#, 400), (#"{"images": ["a.jpg"]}"#, 400),
    ])
    func failuresHaveACodeAndASentence(body: String, status: Int) async throws {
        try await TestServer.with { server in
            let reply = try await server.send(
                .post,
                Self.path,
                Data(body.utf8),
                headers: [.contentType: "application/json"]
            )
            #expect(reply.status == status && reply.number("code") == Double(status), "\(reply.text)")
            #expect(reply.string("error")?.hasSuffix(".") == true)
        }
    }
}
