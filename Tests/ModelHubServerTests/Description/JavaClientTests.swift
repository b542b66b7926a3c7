import Foundation
import ModelHubServer
import SightlineTestSupport
import Testing

/// The Java of the pages OtherClients.md and FirebaseMLEnds.md of Documentation, compiled and run against a hub.
@Suite(.hangLimit, .enabled(if: Java.folder != nil, "needs javac: install the Debian package default-jdk-headless"))
struct JavaClientTests {
    /// A class of a page.
    private static func source(of type: String, page: String) throws -> String {
        let page = TestData.package.appending(path: "Documentation/\(page)")
        let text = try String(contentsOf: page, encoding: .utf8)
        let blocks = text.matches(of: /```java\n((?s:.*?))\n```\n/).map { String($0.1) }
        return try #require(blocks.first { $0.contains("public final class \(type) ") })
    }

    /// Sends what CustomModelDownloadService of Firebase's SDK for Android sends, and asks another host.
    private static let requestOfTheSDK = """
        import java.net.HttpURLConnection;
        import java.net.URL;
        import javax.net.ssl.SSLException;

        public final class SDKRequest {
            public static void main(String[] words) throws Exception {
                HubAddress.install(words[0]);
                String host = "https://firebaseml.googleapis.com";
                URL url = new URL(String.format("%s/v1beta2/projects/%s/models/%s:download", host, words[1], "plants"));
                HttpURLConnection connection = (HttpURLConnection) url.openConnection();
                connection.setConnectTimeout(2000);
                connection.setRequestProperty("Accept-Encoding", "gzip");
                connection.setRequestProperty("Content-Type", "application/json; charset=UTF-8");
                connection.setRequestProperty("X-Goog-Firebase-Installations-Auth", "token-of-firebase");
                connection.setRequestProperty("x-goog-api-key", words[2]);
                connection.connect();
                System.out.println(connection.getResponseCode() + " " + connection.getHeaderField("etag"));
                try {
                    new URL("https://" + url.toURI().resolve(words[0]).getAuthority() + "/").openConnection().connect();
                    System.out.println("The other host answered without TLS.");
                } catch (SSLException error) {
                    System.out.println("The other host was asked for TLS.");
                }
            }
        }
        """

    @Test func anAppWithFirebasesSDKReachesTheHubByOneClass() async throws {
        try await withTemporaryFolder { folder in
            let address = folder.appending(path: "HubAddress.java")
            try Data(try Self.source(of: "HubAddress", page: "FirebaseMLEnds.md").utf8).write(to: address)
            let request = folder.appending(path: "SDKRequest.java")
            try Data(Self.requestOfTheSDK.utf8).write(to: request)
            let compiled = try await Java.program("javac").run([
                "-Xlint:all", "-Werror", "-d", folder.path, address.path, request.path,
            ])
            try #require(compiled.status == 0, "\(compiled.errors)")
            try await TestHub.with { test in
                try await test.serve { client in
                    _ = try await client.publish("plants", file: fakeModel())
                    let hub = "http://127.0.0.1:\(try #require(client.client.port))"
                    let run = try await Java.program("java").run([
                        "-cp", folder.path, "SDKRequest", hub, TestHub.project, test.apiKey,
                    ])
                    #expect(run.status == 0, "\(run.errors)")
                    #expect(run.lines == ["200 \(sha256(fakeModel()))", "The other host was asked for TLS."])
                }
            }
        }
    }

    @Test func anAppDownloadsAModelFetchesValuesAndReportsResults() async throws {
        try await withTemporaryFolder { folder in
            let source = folder.appending(path: "HubApp.java")
            try Data(try Self.source(of: "HubApp", page: "OtherClients.md").utf8).write(to: source)
            let compiled = try await Java.program("javac").run([
                "-Xlint:all", "-Werror", "-d", folder.path, source.path,
            ])
            try #require(compiled.status == 0, "\(compiled.errors)")
            let java = try Java.program("java")

            try await TestHub.with { test in
                var project = try await test.hub.testProject()
                project.requiresInstallation = true
                try await test.hub.updateProject(project, by: .local)
                let caller = Caller.local(project)
                let json = #"{"parameters": {"plant_model": {"defaultValue": {"value": "plants"}}}}"#
                _ = try await test.hub.publishConfig(json, replacing: "*", by: caller)
                let plan = ExperimentPlan(
                    id: "ab",
                    parameter: "plant_model",
                    variants: [.init(id: "control", value: nil), .init(id: "same", value: "plants")]
                )
                _ = try await test.hub.startExperiment(plan, by: caller)
                try await test.serve { client in
                    _ = try await client.publish("plants", file: fakeModel())
                    _ = try await client.send(
                        .patch,
                        "/hub/v1/projects/\(TestHub.project)/models/plants",
                        json: ["confidenceThreshold": 0.4]
                    )
                    let address = "http://127.0.0.1:\(try #require(client.client.port))"
                    let data = folder.appending(path: "data")
                    let arguments = ["-cp", folder.path, "HubApp", address, TestHub.project, test.apiKey, data.path]
                    // The first run registers and downloads; the second run has everything.
                    for _ in 1...2 {
                        let run = try await java.run(arguments)
                        #expect(run.status == 0, "\(run.errors)")
                        #expect(run.lines.first == "plant_model is plants")
                        #expect(
                            run.lines.dropFirst().first == "plants.tflite: \(fakeModel().count) bytes, threshold 0.4"
                        )
                        #expect(run.lines.last?.contains(#""accepted":1"#) == true, "\(run.output)")
                    }
                    let model = data.appending(path: "plants.tflite")
                    #expect(try Data(contentsOf: model) == fakeModel())
                    let results = try await test.hub.outcome(of: "ab", by: caller)
                    let counts = try #require(results.metrics.first).variants.map(\.total)
                    #expect(counts.map(\.count).reduce(0, +) == 6 && counts.map(\.sums.devices).reduce(0, +) == 1)

                    // An interrupted download continues, and a damaged beginning is not used.
                    let second = try await client.upload(fakeModel(2), as: "second.tflite")
                    let changed = try await client.send(
                        .patch,
                        "\(TestClient.models)/\(try await Self.id(client))?updateMask=tfliteModel.gcsTfliteUri",
                        json: ["tfliteModel": ["gcsTfliteUri": second]]
                    )
                    #expect(changed.status == 200)
                    for beginning in [fakeModel(2).prefix(20), Data(repeating: 0, count: 20)] {
                        try? FileManager.default.removeItem(at: model)
                        try beginning.write(to: data.appending(path: "plants.part"))
                        let isRight = beginning == fakeModel(2).prefix(20)
                        #expect(try await java.run(arguments).status == (isRight ? 0 : 1))
                        #expect(FileManager.default.fileExists(atPath: model.path) == isRight)
                        #expect(!FileManager.default.fileExists(atPath: data.appending(path: "plants.part").path))
                    }
                    let wrong = try await java.run(arguments.map { $0 == test.apiKey ? "wrong" : $0 })
                    #expect(wrong.status == 1 && wrong.errors.contains("The API key is missing"))
                }
            }
        }
    }

    private static func id(_ client: TestClient) async throws -> String {
        let models = try await client.send(.get, TestClient.models).value("models") as? [[String: Any]]
        return try #require((models?.first?["name"] as? String)?.split(separator: "/").last.map(String.init))
    }
}

/// A Java Development Kit of this machine.
private enum Java {
    /// The folder of its programs; nil if there is none.
    static let folder: String? = ["/usr/bin", "/usr/local/bin"].first { (folder: String) in
        FileManager.default.isExecutableFile(atPath: "\(folder)/javac")
    }

    static func program(_ name: String) throws -> Program {
        Program(URL(filePath: try #require(folder)).appending(path: name))
    }
}
