import CommandLineSupport
import Foundation
import SightlineCLI
import SightlineTestSupport
import Testing

/// Thresholds for all labels and for single labels.
@Suite(.hangLimit) struct ThresholdTests {
    private func thresholds(_ arguments: String...) throws -> Thresholds {
        try Thresholds(arguments.map { try #require(ThresholdArgument(argument: $0)) }, of: "--threshold")
    }

    @Test func aValueIsForAllLabelsOrForTheNamedLabels() throws {
        let thresholds = try thresholds("0.5", "Person=0.6", "car, bus=.25", "a=b=1")
        #expect(thresholds.usual == 0.5 && thresholds.hasLabels)
        let names = ["person", "car", "bus", "dog", "a=b"]
        #expect(try thresholds.byLabel(among: names) == ["person": 0.6, "car": 0.25, "bus": 0.25, "a=b": 1])
    }

    @Test(arguments: ["person", "person=", "=0.5", "person=much"]) func otherTextIsNoThreshold(text: String) {
        #expect(ThresholdArgument(argument: text) == nil)
    }

    private func run(_ arguments: [String]) async throws -> Command.Result {
        try await withTemporaryFolder { folder in
            try Pictures.write(["red.png": Pictures.png(red: 255)], in: folder)
            return try await Command.run(arguments, in: folder)
        }
    }

    @Test(arguments: [
        ["detect", "red.png", "--model", Command.detector, "--threshold", "0.1", "--threshold", "blue=0.85"],
        ["track", "red.png", "--model", Command.detector, "--threshold", "1", "--threshold", "RED,green=0.1"],
        [
            "label", "red.png", "--model", Command.classifier, "--threshold", "0", "--threshold", "blue=1",
        ],
    ]) func aCommandDropsWhatIsBelowTheThresholdOfItsLabel(arguments: [String]) async throws {
        let result = try await run(arguments + ["--format", "csv"])
        #expect(result.status == 0)
        #expect(!result.output.contains("blue"))
        if arguments[0] != "track" { #expect(result.output.contains("red,") && result.output.contains("green,")) }
    }

    @Test func labelsOfAClassifierHaveThresholdsToo() async throws {
        let arguments = ["--model", Command.detector, "--classifier", Command.classifier, "--format", "csv"]
        let all = try await run(["detect", "red.png"] + arguments)
        let none = try await run(["detect", "red.png", "--classification-threshold", "red=1"] + arguments)
        #expect(all.output.contains("red,") && !none.output.contains("red,"))
    }

    @Test(arguments: [
        (["--threshold", "peron=0.5"], "--threshold peron: the model has no such label; it has red, green, blue."),
        (["--threshold", "rde=0.5"], "--threshold rde: the model has no such label; did you mean red?"),
        (
            ["--threshold", "0.5", "--threshold", "0.6"],
            "--threshold has two values for all labels, but only one can count;"
        ),
        (
            ["--threshold", "red=0.5", "--threshold", "RED=0.6"],
            "--threshold has two values for red, but only one can count;"
        ),
        (["--threshold", "red=60"], "--threshold is 60.0; it must be 0.0 to 1.0."),
    ]) func aThresholdThatMakesNoSenseIsRefused(arguments: [String], expected: String) async throws {
        let result = try await run(["detect", "red.png", "--model", Command.detector] + arguments)
        #expect(result.status == 64)
        #expect(result.output == "" && result.errors.contains(expected), "\(result.errors)")
    }

    @Test func theBuiltInDetectorHasNoLabelsOfItsOwn() async throws {
        let result = try await run(["detect", "red.png", "--threshold", "plant=0.5"])
        #expect(result.status == 64)
        #expect(result.errors.contains("--classification-threshold limits the labels that its classifier adds."))
    }
}
