import Foundation
import HTTPTypes
import Sightline
import SightlineTestSupport
import SightlineTesting
import Testing

@testable import SightlineServer

@Suite(.hangLimit)
struct DeepStackTests {
    private static let detection = "/v1/vision/detection"

    @Test func objectsAreListedInPixels() async throws {
        try await TestServer.with { server in
            let reply = try await server.post(
                Self.detection,
                picture: try TestScene.redAndBlue.png(),
                fields: [("min_confidence", "0.5")]
            )
            #expect(
                reply.value("success") as? Bool == true && reply.number("count") == 2 && reply.number("code") == 200
            )
            #expect(reply.string("message")?.hasPrefix("Found ") == true && reply.number("inferenceMs") != nil)
            let labels = (0..<2).map { reply.string("predictions.\($0).label") }
            let red = try #require(labels.firstIndex(of: "red"))
            let box = ["x_min", "y_min", "x_max", "y_max"].map { reply.number("predictions.\(red).\($0)") }
            #expect(box == [40, 60, 120, 120] && labels.contains("blue"))
        }
    }

    /// 25 blocks, of which no two neighbors have a color.
    private static let crowd = TestScene(
        size: PixelSize(width: 320, height: 320),
        blocks: (0..<25).map { number in
            let (column, row) = (number % 5, number / 5)
            let color = TestScene.Color.allCases[(column + row) % 3]
            return .init(color, column: 3 * column, row: 3 * row, columns: 2, rows: 2)
        }
    )

    @Test func frigateGetsAtMostTwentyObjectsTheMostConfidentFirst() async throws {
        try await TestServer.with { server in
            // Frigate's detector sends an empty key, and no min_confidence.
            let reply = try await server.post(Self.detection, picture: try Self.crowd.png(), fields: [("api_key", "")])
            #expect(reply.count("predictions") == 20 && reply.number("count") == 20, "\(reply.text)")
            #expect(reply.string("message")?.contains("20 most confident of 25") == true)
            let confidences = (0..<20).compactMap { reply.number("predictions.\($0).confidence") }
            #expect(confidences.count == 20 && confidences == confidences.sorted(by: >))
            let all = try await server.post(
                Self.detection,
                picture: try Self.crowd.png(),
                fields: [("min_confidence", "0.4")]
            )
            #expect(all.count("predictions") == 25)
        }
    }

    @Test func aCustomModelIsChosenByItsName() async throws {
        try await TestServer.with { server in
            for method in [HTTPRequest.Method.get, .post] {
                let list = try await server.send(method, "/v1/vision/custom/list")
                #expect(list.value("models") as? [String] == ["blocks"])
            }
            let reply = try await server.post("/v1/vision/custom/blocks", picture: try TestScene.redAndBlue.png())
            #expect(reply.number("count") == 2 && reply.string("command") == "custom")
            let unknown = try await server.post("/v1/vision/custom/cats", picture: try TestScene.redAndBlue.png())
            #expect(unknown.status == 404 && unknown.value("success") as? Bool == false)
            #expect(unknown.string("error")?.contains("blocks") == true)
        }
    }

    @Test func failuresHaveTheFormThatClientsExpect() async throws {
        try await TestServer.with { server in
            let damaged = try await server.post(Self.detection, picture: Data("not a picture".utf8))
            #expect(
                damaged.status == 400 && damaged.value("success") as? Bool == false && damaged.number("code") == 400
            )
            let fields = [("min_confidence", "45")]
            let wrong = try await server.post(Self.detection, picture: try TestScene.redAndBlue.png(), fields: fields)
            #expect(wrong.status == 400 && wrong.string("error")?.contains("min_confidence") == true)
        }
    }

    /// The field of the form, the header field, and the status of the answer.
    @Test(arguments: [
        ("a-token-of-many-letters", nil, 200), (nil, "Bearer a-token-of-many-letters", 200), ("another", nil, 401),
        (nil, nil, 401),
        ("a-token-of-many-letters", "Bearer another", 401),
    ])
    func theTokenMayBeAFieldOfTheForm(key: String?, header: String?, status: Int) async throws {
        try await TestServer.with(token: "a-token-of-many-letters") { server in
            var headers = HTTPFields()
            headers[.authorization] = header
            let fields = key.map { [("api_key", $0)] } ?? []
            let picture = try TestScene.redAndBlue.png()
            let reply = try await server.post(Self.detection, picture: picture, fields: fields, headers: headers)
            #expect(reply.status == status)
        }
    }

    @Test(arguments: ["face", "face/recognize", "face/list", "scene", "enhance"])
    func otherWorkOfDeepStackIsDeclinedInItsForm(work: String) async throws {
        try await TestServer.with(token: "a-token-of-many-letters") { server in
            let reply = try await server.post("/v1/vision/\(work)", picture: try TestScene.redAndBlue.png())
            #expect(reply.status == 403 && reply.value("success") as? Bool == false)
            #expect(reply.string("error")?.hasSuffix("endpoint not activated") == true)
        }
    }

    /// The clients in C# and JavaScript of DeepStack's documentation write the key after the picture.
    @Test(arguments: [("a-token-of-many-letters", 200), ("another-token-of-letters", 401), (nil, 401)])
    func theTokenMayComeAfterThePicture(key: String?, status: Int) async throws {
        try await TestServer.with(token: "a-token-of-many-letters") { server in
            let reply = try await server.post(
                Self.detection,
                picture: try TestScene.redAndBlue.png(),
                laterFields: key.map { [("api_key", $0)] } ?? []
            )
            #expect(reply.status == status, "\(reply.text)")
            try await wait { server.service.memory.bytes + server.service.strangersMemory.bytes > 0 }
        }
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func aRealPhotoHasCatsAndDogs() async throws {
        let model = LocalModel(url: TestData.real("models/coco_ssd/detect_with_metadata.tflite"))
        try await TestServer.with(models: [.local(model, text: "coco")]) { server in
            let photo = try Data(contentsOf: TestData.real("images/cats_and_dogs.jpg"))
            let reply = try await server.post(Self.detection, picture: photo, fields: [("min_confidence", "0.4")])
            let labels = Set(
                (0..<(reply.count("predictions") ?? 0)).compactMap { reply.string("predictions.\($0).label") }
            )
            #expect(labels.isSuperset(of: ["cat", "dog"]), "\(reply.text)")
        }
    }
}

extension TestServer {
    /// Posts a form with a picture, byte by byte as the library requests of Python writes it for Frigate and other clients.
    fileprivate func post(
        _ target: String,
        picture: Data,
        fields: [(String, String)] = [],
        laterFields: [(String, String)] = [],
        headers: HTTPFields = [:]
    ) async throws -> Reply {
        let boundary = "3d8b1d2ff5b34c6e9d1a2b3c4d5e6f70"
        var body = Data()
        func field(_ name: String, _ value: String) -> Data {
            Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
        }
        for (name, value) in fields { body += field(name, value) }
        let disposition = "Content-Disposition: form-data; name=\"image\"; filename=\"image\""
        body += Data("--\(boundary)\r\n\(disposition)\r\n\r\n".utf8) + picture + Data("\r\n".utf8)
        for (name, value) in laterFields { body += field(name, value) }
        body += Data("--\(boundary)--\r\n".utf8)
        var headers = headers
        headers[.contentType] = "multipart/form-data; boundary=\(boundary)"
        return try await send(.post, target, body, headers: headers)
    }
}
