import CommandLineSupport
import Sightline
import SightlineCLI
import SightlineTestSupport
import Testing

/// The choice of `--allow` and `--deny`.
@Suite(.hangLimit)
struct LabelChoiceTests {
    private let names = ["person", "car", "tench, Tinca tinca", "Polish", "polish"]

    private func choice(_ allow: [String], _ deny: [String] = []) throws -> LabelChoice {
        try LabelChoice(allow: allow, deny: deny, among: names)
    }

    private func reason(_ allow: [String], _ names: [String]) -> String? {
        #expect(throws: InputError.self) { try LabelChoice(allow: allow, deny: [], among: names) }?.description
    }

    @Test func withoutArgumentsAllLabelsAreAllowed() throws {
        let choice = try choice([])
        #expect(choice.allowed == nil && choice.denied.isEmpty)
    }

    @Test func labelsAreFoundInAnyCase() throws {
        #expect(try choice(["Person", "CAR"], ["pErson"]).allowed == ["person", "car"])
        #expect(try choice([], ["Person"]).denied == ["person"])
    }

    @Test func labelsThatDifferInCaseAloneAreToldApartByAnExactName() throws {
        #expect(try choice(["polish"]).allowed == ["polish"])
        #expect(try choice(["POLISH"]).allowed == ["Polish", "polish"])
    }

    @Test func anArgumentCanBeAListOfLabels() throws {
        #expect(try choice(["person, car"]).allowed == ["person", "car"])
    }

    @Test func aLabelWithCommasIsOneLabel() throws {
        #expect(try choice(["tench, tinca tinca"]).allowed == ["tench, Tinca tinca"])
    }

    @Test(arguments: [
        (["peron"], "--allow peron: the model has no such label; did you mean person?"),
        (["car,perosn"], "--allow perosn: the model has no such label; did you mean person?"),
        (["xylophone"], "--allow xylophone: the model has no such label; it has person, car, "),
        ([","], "--allow ,: the model has no such label; "),
    ])
    func anUnknownLabelIsAnErrorThatHelps(allow: [String], expected: String) {
        #expect(reason(allow, names)?.hasPrefix(expected) == true)
    }

    @Test func aModelWithoutLabelsHasNoneToChoose() {
        #expect(reason(["cat"], []) == "--allow cat: the model has no labels; give them with --labels.")
    }

    @Test func theNearestNamesAreSuggested() {
        let models = ["coco-ssd-mobilenet-v1", "mobile-object-localizer-v1", "yolox-nano", "yolox-tiny"]
        #expect(Suggestion.nearest(to: "coco-ssd", among: models) == ["coco-ssd-mobilenet-v1"])
        #expect(Suggestion.nearest(to: "YOLO", among: models) == ["yolox-nano", "yolox-tiny"])
        #expect(Suggestion.nearest(to: "yolox-naon", among: models).first == "yolox-nano")
        #expect(Suggestion.nearest(to: "bicycle", among: models).isEmpty)
    }

    private func run(_ arguments: String...) async throws -> Command.Result {
        try await withTemporaryFolder { folder in
            try Pictures.write(["red.png": Pictures.png(red: 255)], in: folder)
            return try await Command.run(arguments, in: folder)
        }
    }

    @Test func detectFindsOnlyTheObjectsThatAreAllowed() async throws {
        let result = try await run(
            "detect",
            "red.png",
            "--model",
            Command.detector,
            "--allow",
            "Red",
            "--format",
            "csv"
        )
        #expect(result.status == 0)
        #expect(result.lines.count == 2 && result.output.contains("red.png,1,"))
    }

    @Test(arguments: [
        ["detect", "red.png", "--model", Command.detector, "--allow", "rde"],
        ["detect", "red.png", "--model", Command.detector, "--deny", "rde"],
        ["label", "red.png", "--model", Command.classifier, "--allow", "rde"],
        ["track", "red.png", "--model", Command.detector, "--allow", "rde"],
        ["detect", "red.png", "--allow", "anmial"],
    ])
    func aCommandRefusesALabelThatTheModelDoesNotHave(arguments: [String]) async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["red.png": Pictures.png(red: 255)], in: folder)
            let result = try await Command.run(arguments, in: folder)
            #expect(result.status == 64)
            #expect(result.output == "")
            #expect(result.errors.contains("the model has no such label; did you mean "))
        }
    }
}
