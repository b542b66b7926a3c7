import Foundation
import SightlineTestSupport
import Testing

/// Runs whose failed pictures are not failures of the run.
@Suite(.hangLimit)
struct KeepGoingTests {
    private func run(_ arguments: [String]) async throws -> Program.Result {
        try await withTemporaryFolder { folder in
            try Pictures.write(
                ["p/red.png": Pictures.png(red: 255), "p/raw.dng": Data("x".utf8), "bad.png": Data("no picture".utf8)],
                in: folder
            )
            return try await Command.run(
                ["label", "--model", Command.classifier, "--keep-going"] + arguments,
                in: folder
            )
        }
    }

    @Test(arguments: [["p/red.png", "bad.png"], ["bad.png", "none.png"], ["p"]])
    func picturesThatFailOrAreSkippedDoNotChangeTheExitCode(inputs: [String]) async throws {
        #expect(try await run(inputs).status == 0)
    }

    @Test func failedPicturesAreStillInTheResults() async throws {
        let result = try await run(["bad.png", "p/red.png", "--format", "jsonl"])
        #expect(try result.records().map { $0["error"] != nil } == [true, false])
        #expect(result.errors == "")
    }

    @Test func aModelThatCannotBeUsedStillFails() async throws {
        let result = try await withTemporaryFolder { folder in
            try await Command.run(["label", "a.png", "--model", "none.tflite", "--keep-going"], in: folder)
        }
        #expect(result.status == 2)
    }

    @Test func aWrongCommandLineStillFails() async throws {
        #expect(try await run(["bad.png", "--nonsense"]).status == 64)
    }
}
