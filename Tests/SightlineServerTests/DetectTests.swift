import Foundation
import Sightline
import SightlineServer
import SightlineTestSupport
import SightlineTesting
import Testing

@Suite(.hangLimit)
struct DetectTests {
    /// The bytes that .NET's HttpClient sends: names without quotes, and a boundary in quotes.
    @Test(arguments: ["/v1/detect", "/v1/vision/detection"]) func aFormOfADotNetProgramIsRead(path: String) async throws
    {
        try await TestServer.with { server in
            let boundary = "0dbd1a3e-5f4c-4c5d-8f3d-3a0c1b2d4e5f"
            let head = "Content-Disposition: form-data; name=image; filename=image.png; filename*=utf-8''image.png"
            let body =
                Data("--\(boundary)\r\n\(head)\r\n\r\n".utf8) + (try TestScene.two.png())
                + Data("\r\n--\(boundary)--\r\n".utf8)
            let type = "multipart/form-data; boundary=\"\(boundary)\""
            let reply = try await server.send(.post, path, body, headers: [.contentType: type])
            #expect(reply.status == 200 && reply.text.contains("red"), "\(reply.text)")
        }
    }

    @Test func aPictureInTheBodyHasTheObjectsOfTheDetector() async throws {
        try await TestServer.with { server in
            let picture = try TestScene.two.png()
            let reply = try await server.send(.post, "/v1/detect", picture)
            #expect(reply.status == 200)
            #expect(reply.headers[.contentType] == "application/json; charset=UTF-8")
            let found = try reply.json(FoundObjects.self)
            let expected = try await ObjectDetector(options: .init(model: TestModels.blockDetector))
                .objects(in: VisionImage(data: picture))
            #expect(found.objects.map(\.labels) == expected.map(\.labels))
            #expect(Set(found.names) == ["red", "green"])
            #expect((found.width, found.height, found.image, found.model) == (320, 240, "picture", "blocks"))
            #expect(found.version.count == 12)
        }
    }

    @Test func answersHaveTheSchemaOfResults() async throws {
        let file = TestData.package.appending(path: "Sources/Sightline/Documentation.docc/results.schema.json")
        let schema = try JSONSchema(Data(contentsOf: file))
        try await TestServer.with { server in
            let picture = try TestScene.two.png()
            for target in ["/v1/detect?max-objects=1", "/v1/label"] {
                #expect(try schema.problems(try await server.send(.post, target, picture).body) == [])
            }
        }
    }

    @Test func optionsHaveTheNamesOfTheCommand() async throws {
        try await TestServer.with { server in
            let picture = try TestScene.two.png()
            func names(_ query: String) async throws -> Set<String> {
                Set(try await server.send(.post, "/v1/detect?\(query)", picture).json(FoundObjects.self).names)
            }
            #expect(try await names("allow=red") == ["red"])
            #expect(try await names("deny=RED") == ["green"])
            #expect(try await names("threshold=0.2&threshold=red=1") == ["green"])
            #expect(try await names("roi=0,120,320,120") == ["green"])
            #expect(try await names("single") == ["green"])
            let one = try await server.send(.post, "/v1/detect?max-objects=1", picture).json(FoundObjects.self)
            #expect(one.objects.count == 1)
            #expect(one.omitted == 1)
        }
    }

    @Test(arguments: [
        ("treshold=0.5", "The field treshold is unknown; did you mean threshold?"),
        ("threshold=2", "threshold is \"2\"; it must be a confidence from 0 to 1, such as 0.4 or person=0.6."),
        ("max-objects=0", "max-objects is \"0\"; it must be a number from 1 to 100000."),
        ("roi=1,2,3", "roi is \"1,2,3\"; it must be x,y,width,height in pixels, such as 100,50,640,480."),
        ("allow=cat", "allow cat: the model has no such label; it has red, green, blue."),
        ("fit=wide", "fit is \"wide\"; it must be stretch or crop."),
    ])
    func anOptionThatMakesNoSenseIsRefusedWithASentence(_ query: String, _ sentence: String) async throws {
        try await TestServer.with { server in
            let reply = try await server.send(.post, "/v1/detect?\(query)", try TestScene.two.png())
            #expect(reply.status == 400)
            #expect(reply.error == sentence)
        }
    }

    @Test func aFormHasAnAnswerForEachPictureAndOptionsAsFields() async throws {
        try await TestServer.with { server in
            let picture = try TestScene.two.png()
            let reply = try await server.post(
                "/v1/detect",
                files: [("a.png", picture), ("b.png", picture)],
                fields: [("allow", "green")]
            )
            #expect(reply.status == 200)
            let found = try reply.json([FoundObjects].self)
            #expect(found.map(\.image) == ["a.png", "b.png"])
            #expect(found.map(\.names) == [["green"], ["green"]])
        }
    }

    @Test func aDamagedPictureOfAFormHasItsReasonBesideTheOthers() async throws {
        try await TestServer.with { server in
            let reply = try await server.post(
                "/v1/detect",
                files: [("a.png", try TestScene.two.png()), ("b.png", Data("no picture".utf8))]
            )
            #expect(reply.status == 200)
            let answers = try #require(try JSONSerialization.jsonObject(with: reply.body) as? [[String: Any]])
            #expect(answers.count == 2)
            #expect(answers[1]["image"] as? String == "b.png")
            #expect((answers[1]["error"] as? String)?.contains("Sightline reads") == true)
        }
    }

    @Test func aDamagedPictureIsRefusedWithTheSentenceOfTheCommand() async throws {
        try await TestServer.with { server in
            let picture = try TestScene.two.png()
            for (bytes, start) in [
                (Data("no picture".utf8), "Sightline reads"),
                (picture.prefix(picture.count / 2), "The PNG picture is damaged"),
            ] {
                let reply = try await server.send(.post, "/v1/detect", bytes)
                #expect(reply.status == 400)
                #expect(reply.error?.hasPrefix(start) == true, "\(reply.text)")
            }
            #expect(try await server.send(.post, "/v1/detect").status == 400)
        }
    }

    @Test func aModelIsChosenByNameAndMustFit() async throws {
        try await TestServer.with { server in
            let picture = try TestScene.two.png()
            let unknown = try await server.send(.post, "/v1/detect?model=cats", picture)
            #expect(unknown.status == 404)
            #expect(unknown.error == "There is no model \"cats\"; the models are blocks, colors.")
            #expect(try await server.send(.post, "/v1/detect?model=colors", picture).status == 400)
            #expect(try await server.send(.post, "/v1/detect?model=blocks", picture).status == 200)
        }
    }

    @Test func aPictureIsLabeled() async throws {
        let red = TestScene(ground: 0, blocks: [.init(.red, column: 0, row: 0, columns: 16, rows: 12)])
        try await TestServer.with { server in
            let reply = try await server.send(.post, "/v1/label?max-labels=1", try red.png())
            let found = try reply.json(FoundLabels.self)
            #expect(found.model == "colors")
            #expect(found.labels.map(\.text) == ["red"])
            let wrong = try await server.send(.post, "/v1/label?single", try red.png())
            #expect(wrong.error == "single needs a model that finds objects; leave it out to label whole pictures.")
        }
    }

    @Test(arguments: [("image/png", ImageFormat.png), ("image/jpeg", .jpeg), ("*/*", .jpeg)])
    func boxesAreDrawn(_ accept: String, _ format: ImageFormat) async throws {
        try await TestServer.with { server in
            let picture = try TestScene.two.png()
            let reply = try await server.send(.post, "/v1/annotate", picture, headers: [.accept: accept])
            #expect(reply.status == 200)
            #expect(reply.headers[.contentType] == (format == .png ? "image/png" : "image/jpeg"))
            #expect(try ImageFormat(of: reply.body) == format)
            #expect(try VisionImage(data: reply.body).size == PixelSize(width: 320, height: 240))
            #expect(reply.body != picture)
        }
    }

    @Test func theBuiltInModelsAnswerWithoutAnyOther() async throws {
        try await TestServer.with(models: ModelSource.builtIn) { server in
            let photo = try Data(contentsOf: TestData.fixture("images/flower-and-shirt.png"))
            let objects = try await server.send(.post, "/v1/detect", photo).json(FoundObjects.self)
            #expect(objects.model == "built-in-detector")
            #expect(!objects.objects.isEmpty)
            #expect(try await server.send(.post, "/v1/label", photo).json(FoundLabels.self).model == "built-in-labeler")
        }
    }
}
