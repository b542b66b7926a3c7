import Foundation
import SightlineTestSupport
import Testing

/// A picture without a label gets a best guess, and the threshold that shows it.
@Suite(.hangLimit)
struct BestGuessTests {
    private func label(_ arguments: String...) async throws -> Command.Result {
        try await withTemporaryFolder { folder in
            try Pictures.write(["red.png": Pictures.png(red: 255)], in: folder)
            return try await Command.run(["label", "red.png", "--model", Command.classifier] + arguments, in: folder)
        }
    }

    @Test func theThresholdThatIsToldShowsTheGuess() async throws {
        let nothing = try await label("--threshold", "1")
        #expect(nothing.status == 0)
        let guess = try #require(
            try /^no labels found; best: (.+) [\d.]+ %, --threshold ([\d.]+) shows it\n$/.wholeMatch(in: nothing.output)
        )
        let found = try await label("--threshold", String(guess.2))
        #expect(found.output.contains(guess.1))
    }

    @Test func jsonHasTheGuessApartFromTheLabels() async throws {
        let record = try #require(try await label("--threshold", "1", "--format", "jsonl").records().first)
        #expect((record["labels"] as? [Any])?.isEmpty == true)
        let guess = try #require(record["guess"] as? [String: Any])
        #expect(guess["text"] as? String == "red" && (guess["confidence"] as? Double ?? 0) > 0.9)
        let found = try #require(try await label("--format", "jsonl").records().first)
        #expect(found["guess"] == nil)
    }

    @Test func programsReadTheGuessOnStandardErrorAlone() async throws {
        let result = try await label("--threshold", "1", "--format", "csv")
        #expect(result.status == 0 && !result.output.contains("best"))
        #expect(result.errors.hasPrefix("sightline: One picture has no label; best: "))
    }
}
