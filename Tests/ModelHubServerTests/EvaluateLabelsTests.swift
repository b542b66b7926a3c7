import Foundation
import SightlineTestSupport
import Testing

/// The process in which the hub evaluates a model on a stranger's pictures.
@Suite(.hangLimit)
struct EvaluateLabelsTests {
    private let model = TestData.fixture("models/classifier_float_metadata.tflite").path
    private let picture = TestData.fixture("images/png-1x1.png")

    /// Runs it on pictures in a folder `colors` of which all lie in the folder `red`.
    private func run(_ arguments: [String] = [], pictures: [String: Data]) throws -> (
        HubProgram.Result, [[String: Any]]
    ) {
        try withTemporaryFolder { folder in
            for (name, data) in pictures {
                let url = folder.appending(path: "colors/red/\(name)")
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try data.write(to: url)
            }
            let result = try HubProgram.run(
                ["evaluate-labels", model, folder.appending(path: "colors").path] + arguments
            )
            let lines = result.output.split(separator: "\n").map { Data($0.utf8) }
            return (result, lines.compactMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] })
        }
    }

    @Test func writesProgressAndAtLastTheReport() throws {
        let data = try Data(contentsOf: picture)
        let (result, lines) = try run(
            ["--name", "plants"],
            pictures: ["1.png": data, "2.png": data, "x.txt": Data("x".utf8)]
        )
        #expect(result.status == 0)
        let progress = lines.compactMap { $0["progress"] as? [String: Int] }
        #expect(progress.last == ["done": 3, "skipped": 1, "total": 3])
        let report = try #require(lines.last?["report"] as? [String: Any])
        #expect(report["pictureCount"] as? Int == 2)
        #expect((report["model"] as? [String: Any])?["name"] as? String == "plants")
        #expect(lines.count == progress.count + 1)
    }

    @Test func anErrorIsTheLastLine() throws {
        let (result, lines) = try run(pictures: [:])
        #expect(result.status == 2)
        #expect((lines.last?["error"] as? String)?.contains("no such file or folder") == true)
        let damaged = try withTemporaryFolder { folder in
            let zip = folder.appending(path: "bad.zip")
            try Data("PK nothing".utf8).write(to: zip)
            return try HubProgram.run(["evaluate-labels", model, zip.path])
        }
        #expect(damaged.status == 2)
        #expect(damaged.output.contains("is not a readable zip archive"))
    }

    @Test func givesNoReportWithoutTheMemoryForIt() throws {
        let (result, lines) = try run(["--memory", "1000000"], pictures: ["1.png": try Data(contentsOf: picture)])
        #expect(result.status != 0)
        #expect(lines.allSatisfy { $0["report"] == nil })
    }

    @Test func isNotShownInTheHelp() throws {
        #expect(try HubProgram.run(["--help"]).output.contains("evaluate-labels") == false)
    }
}
