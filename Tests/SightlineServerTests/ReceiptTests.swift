import Foundation
import HTTPServing
import HTTPTypes
import Logging
import ModelHub
import SightlineTestSupport
import SightlineTesting
import Synchronization
import Testing

@testable import SightlineServer

@Suite(.hangLimit)
struct ReceiptTests {
    private func report() throws -> OutcomeReport {
        let configuration = ModelHubConfiguration(
            hub: try #require(URL(string: "http://127.0.0.1:1")),
            projectID: "my-plants",
            apiKey: "key"
        )
        let folder = FileManager.default.temporaryDirectory.appending(path: "receipts-\(UUID().uuidString)")
        let manager = ModelManager(configuration: configuration, folder: folder)
        return OutcomeReport(
            reporter: OutcomeReporter(manager: manager),
            assignment: try JSONDecoder().decode(
                ExperimentAssignment.self,
                from: Data(#"{"experimentID": "1", "variantID": "0", "parameters": []}"#.utf8)
            ),
            model: "plants"
        )
    }

    @Test func aReceiptIsGoodForScoresOnce() throws {
        let (receipts, report) = (Receipts(), try report())
        let texts = (0..<100).map { _ in receipts.issue(report) }
        #expect(Set(texts).count == 100)
        for text in texts {
            #expect(receipts.use(text) === report)
            #expect(receipts.use(text) == nil)
        }
        for text in ["", "1", String(repeating: "0", count: 32), String(repeating: "x", count: 32), "plants"] {
            #expect(receipts.use(text) == nil)
        }
    }

    @Test func theReceiptsOfTheLatestAnswersAreKnown() throws {
        let (receipts, report) = (Receipts(limit: 3), try report())
        let texts = (0..<5).map { _ in receipts.issue(report) }
        #expect(texts.map { receipts.use($0) != nil } == [false, false, true, true, true])
        #expect(receipts.use(receipts.issue(report)) != nil)
    }

    @Test func scoresNeedTheReceiptOfAnAnswer() async throws {
        try await TestServer.with { server in
            for number in 0..<50 {
                let body: [String: Any] = [
                    "receipt": String(repeating: "\(number % 10)", count: 32), "scores": ["a": 1],
                ]
                #expect(try await server.post("/v1/outcomes", json: body).status == 404)
            }
            let old = try await server.post("/v1/outcomes", json: ["model": "blocks", "scores": ["a": 1]])
            #expect(old.status == 400 && old.string("error")?.contains("receipt") == true)
        }
    }
}

/// A form that is none, and failures in the log.
@Suite(.hangLimit)
struct SentenceTests {
    @Test func fieldsWithoutAFileAreExplained() async throws {
        try await TestServer.with { server in
            let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let fields = try await server.send(.post, "/v1/detect", Data("threshold=0.4&image=a".utf8), headers: form)
            #expect(fields.status == 400 && fields.error?.contains("form without a file") == true, "\(fields.text)")
            // The type that curl gives to every body.
            #expect(try await server.send(.post, "/v1/detect", try TestScene.two.png(), headers: form).status == 200)
            let none = try await server.post("/v1/detect", files: [], fields: [("image", "a.jpg")])
            #expect(none.status == 400 && none.error?.contains("The form has no file") == true)
            // The last, because it ends the connection.
            let long = try await server.post(
                "/v1/detect",
                files: [],
                fields: [("image", String(repeating: "x", count: 5000))]
            )
            #expect(long.status == 413 && long.error?.contains("as a file, with a file name") == true, "\(long.text)")
        }
    }

    @Test func aFailureThatRepeatsIsALineAMinute() {
        struct Handler: LogHandler {
            let lines: Lines
            var logLevel = Logger.Level.info
            var metadata = Logger.Metadata()
            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }
            func log(event: LogEvent) { lines.add("\(event.message)") }
        }
        final class Lines: Sendable {
            private let all = Mutex<[String]>([])
            func add(_ line: String) { all.withLock { $0.append(line) } }
            var count: Int { all.withLock(\.count) }
        }
        struct Failure: Error { let number: Int }
        let lines = Lines()
        let metrics = AnswerMetrics(logger: Logger(label: "test") { _ in Handler(lines: lines) })
        for _ in 0..<1000 { metrics.report("a model failed", Failure(number: 1)) }
        metrics.report("a model failed", Failure(number: 2))
        #expect(lines.count == 2)
    }
}
