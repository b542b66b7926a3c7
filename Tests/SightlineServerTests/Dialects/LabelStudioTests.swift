import Foundation
import Sightline
import SightlineServer
import SightlineTestSupport
import SightlineTesting
import Testing

@Suite(.hangLimit)
struct LabelStudioTests {
    private static let boxes = """
        <?xml version="1.0"?>
        <View>
          <!-- Blocks of a scene -->
          <Image name="img" value="$photo"/>
          <RectangleLabels name="tag" toName="img" canRotate="false">
            <Label value="Red" background="blue"></Label>
            <Label value="Sea &amp; sky" predicted_values="blue, cyan" />
          </RectangleLabels>
        </View>
        """

    private static let choices = """
        <View><Choices name="color" toName="img"><Choice value="Red" alias="warm"/><Choice value="Green"/></Choices>
        <Image name="img" value="$photo"/></View>
        """

    private static func task(_ address: String) -> [String: Any] {
        ["id": 1, "project": 2, "data": ["photo": address, "n": 1]]
    }

    private static func task(_ scene: TestScene) throws -> [String: Any] {
        task(try scene.address())
    }

    @Test func aBackEndIsHealthyAndSaysWhichModelFits() async throws {
        try await TestServer.with { server in
            #expect(try await server.send(.get, "/health").string("status") == "UP")
            let body = [
                "project": "1.2", "schema": Self.boxes, "hostname": "http://localhost:8080", "access_token": "t",
            ]
            let setup = try await server.post("/setup", json: body)
            #expect(setup.status == 200 && setup.string("model_version")?.hasPrefix("blocks@") == true)
        }
    }

    @Test(arguments: [
        (#"<View><Text name="t" value="$text"/></View>"#, "neither RectangleLabels nor Choices"),
        (
            #"<View><Image name="i" value="$i"/><RectangleLabels name="b" toName="i"><Label value="Cat"/></RectangleLabels></View>"#,
            "red, green, blue"
        ),
        ("<View><Image", "well-formed"), ("<View></Vue>", "well-formed"), (#"<View a="1></View>"#, "well-formed"),
        (String(repeating: "<View>", count: 100), "well-formed"),
    ])
    func anInterfaceThatNoModelFitsIsRefused(interface: String, word: String) async throws {
        try await TestServer.with { server in
            let reply = try await server.post("/setup", json: ["schema": interface])
            #expect(reply.status == 400 && reply.string("error")?.contains(word) == true, "\(reply.text)")
        }
    }

    @Test func objectsBecomeBoxesInPercentUnderTheProjectsNames() async throws {
        try await TestServer.with { server in
            let request: [String: Any] = ["tasks": [try Self.task(.redAndBlue)], "label_config": Self.boxes]
            let reply = try await server.post("/predict", json: request)
            #expect(
                reply.status == 200 && reply.count("results") == 1 && reply.count("results.0.result") == 2,
                "\(reply.text)"
            )
            let names = (0..<2).map { reply.string("results.0.result.\($0).value.rectanglelabels.0") }
            #expect(Set(names) == ["Red", "Sea & sky"])
            let place = "results.0.result.\(try #require(names.firstIndex(of: "Red")))"
            #expect(reply.string("\(place).from_name") == "tag" && reply.string("\(place).to_name") == "img")
            #expect(
                reply.string("\(place).type") == "rectanglelabels" && reply.number("\(place).original_width") == 320
            )
            let box = ["x", "y", "width", "height"].map { reply.number("\(place).value.\($0)") }
            #expect(box == [12.5, 25, 25, 25])
            #expect((reply.number("results.0.score") ?? 0) > 0.9)
        }
    }

    @Test func objectsThatTheProjectDoesNotNameAreLeftOut() async throws {
        try await TestServer.with { server in
            let green = TestScene(blocks: [.init(.green, column: 2, row: 3), .init(.red, column: 9, row: 6)])
            let request: [String: Any] = ["tasks": [try Self.task(green)], "label_config": Self.boxes]
            let reply = try await server.post("/predict", json: request)
            #expect(reply.count("results.0.result") == 1)
            #expect(reply.string("results.0.result.0.value.rectanglelabels.0") == "Red")
        }
    }

    @Test func labelsOfAPictureBecomeChoices() async throws {
        try await TestServer.with { server in
            let request: [String: Any] = ["tasks": [try Self.task(.plain(.red))], "label_config": Self.choices]
            for path in ["/predict", "/label-studio/colors/predict"] {
                let reply = try await server.post(path, json: request)
                #expect(reply.string("results.0.result.0.type") == "choices")
                #expect(reply.value("results.0.result.0.value.choices") as? [String] == ["warm"])
            }
            #expect(try await server.post("/label-studio/cats/predict", json: request).status == 404)
        }
    }

    /// Label Studio logs such a result and stores no prediction.
    @Test(arguments: [
        ("/data/upload/1/a.jpg", "has not sent its address"),
        ("/data/local-files/?d=a.jpg", "has not sent its address"),
        ("data:image/png;base64,AAAA", "picture"), ("data:image/png,AAAA", "base64"),
        ("http://127.0.0.1/a.png", "address"),
        ("file:///etc/passwd", "address"),
    ])
    func aPictureThatCannotBeUsedHasAnErrorInItsPlace(address: String, word: String) async throws {
        try await TestServer.with { server in
            let request: [String: Any] = [
                "tasks": [Self.task(address), try Self.task(.redAndBlue)], "label_config": Self.boxes,
            ]
            let reply = try await server.post("/predict", json: request)
            #expect(reply.status == 200 && reply.count("results") == 2)
            #expect(reply.string("results.0.error")?.contains(word) == true, "\(reply.text)")
            #expect(reply.count("results.1.result") == 2)
        }
    }

    @Test func anUploadedPictureIsReadFromLabelStudio() async throws {
        let picture = try TestScene.redAndBlue.png()
        let studio = try LoopbackServer { request in
            guard request.headers["authorization"] == "Token of-the-project", request.path == "/data/upload/1/a.png"
            else {
                return .init(status: 404)
            }
            return .init(body: picture)
        }
        let setup = [
            "project": "1.2", "schema": Self.boxes, "hostname": studio.address, "access_token": "of-the-project",
        ]
        @Sendable func predict(_ server: TestServer) async throws -> Reply {
            #expect(try await server.post("/setup", json: setup).status == 200)
            let tasks = [Self.task("/data/upload/1/a.png")]
            return try await server.post(
                "/predict",
                json: ["tasks": tasks, "label_config": Self.boxes, "project": "1.2"]
            )
        }
        try await TestServer.with(hosts: ["127.0.0.1"]) { server in
            let reply = try await predict(server)
            #expect(reply.count("results.0.result") == 2, "\(reply.text)")
        }
        try await TestServer.with { server in
            let reply = try await predict(server)
            #expect(reply.string("results.0.error")?.contains("--allow-url-host") == true)
        }
    }

    /// Paths below the place of a project, none of which Label Studio keeps pictures at.
    @Test(arguments: [
        "/api/users/", "/data/../api/users/", "/data/%2e%2e/api/users/", "/data/%252e%252e/api/users/",
        "/data//api/users/",
        "/data/./x", "/data", "/storage-data/..%2fapi/", "/data/\\..\\api/", "/user/account?x=/data/1.png",
    ])
    func noOtherPathOfLabelStudioIsAsked(path: String) async throws {
        let studio = try LoopbackServer { _ in .init(body: Data("secret".utf8)) }
        try await TestServer.with(hosts: ["127.0.0.1"]) { server in
            let setup = ["project": "1", "schema": Self.boxes, "hostname": studio.address, "access_token": "t"]
            #expect(try await server.post("/setup", json: setup).status == 200)
            let request: [String: Any] = [
                "tasks": [Self.task(path)], "label_config": Self.boxes, "project": "1",
            ]
            let reply = try await server.post("/predict", json: request)
            #expect(reply.string("results.0.error")?.contains("keeps no pictures") == true, "\(reply.text)")
        }
        #expect(studio.requests.isEmpty)
    }

    @Test func aProjectOfAnotherClientGivesNoPictures() async throws {
        let studio = try LoopbackServer { _ in .init(body: Data("secret".utf8)) }
        let (owner, other) = ("203.0.113.7", "203.0.113.8")
        try await TestServer.with(hosts: ["127.0.0.1"], connections: { $0.trustsProxy = true }) { server in
            func post(_ path: String, _ json: [String: Any], as client: String) async throws -> Reply {
                try await server.send(
                    .post,
                    path,
                    try JSONSerialization.data(withJSONObject: json),
                    headers: [.contentType: "application/json", .forwardedFor: client]
                )
            }
            var setup = ["project": "1", "schema": Self.boxes, "hostname": studio.address, "access_token": "t"]
            #expect(try await post("/setup", setup, as: owner).status == 200)
            let request: [String: Any] = [
                "tasks": [Self.task("/data/upload/1/a.png")], "label_config": Self.boxes, "project": "1",
            ]
            let reply = try await post("/predict", request, as: other)
            #expect(reply.string("results.0.error")?.contains("has not sent its address") == true, "\(reply.text)")
            #expect(studio.requests.isEmpty)
            // Another place of another client moves nothing, and one of the same client only within the host.
            setup["hostname"] = "http://203.0.113.9:8080"
            #expect(try await post("/setup", setup, as: other).status == 200)
            #expect(try await post("/setup", setup, as: owner).status == 409)
            setup["hostname"] = studio.address + "/studio/"
            #expect(try await post("/setup", setup, as: owner).status == 200)
            _ = try await post("/predict", request, as: owner)
            #expect(studio.requests.map(\.path) == ["/studio/data/upload/1/a.png"])
        }
    }

    @Test(arguments: ["http://h/api?x=", "http://h/#", "http://h/a/../b", "ftp://h", "h:8080", "http://u:p@h/"])
    func anAddressThatHidesThePathIsRefused(address: String) async throws {
        try await TestServer.with { server in
            let setup = ["project": "1", "schema": Self.boxes, "hostname": address, "access_token": "t"]
            let reply = try await server.post("/setup", json: setup)
            #expect(reply.status == 400 && reply.string("error")?.contains("LABEL_STUDIO_HOST") == true)
        }
    }

    @Test func eventsAreAnsweredAndTrainingIsRefused() async throws {
        try await TestServer.with { server in
            #expect(try await server.post("/webhook", json: ["action": "ANNOTATION_CREATED"]).status == 201)
            let training = try await server.post("/webhook", json: ["action": "START_TRAINING"])
            #expect(training.status == 501 && training.string("error")?.contains("trains no models") == true)
        }
    }

    @Test func manyValuesAreRefusedBeforeTheyAreDecoded() async throws {
        try await TestServer.with { server in
            let body = Data("{\"tasks\": [\(String(repeating: "[],", count: 600_000))[]]}".utf8)
            let reply = try await server.send(
                .post,
                "/predict",
                body,
                headers: [.contentType: "application/json"]
            )
            #expect(reply.status == 413, "\(reply.text)")
        }
    }
}
