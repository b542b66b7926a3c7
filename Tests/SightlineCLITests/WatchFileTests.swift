import Foundation
import SightlineTestSupport
import Testing

@testable import SightlineCLI

/// The words of the file of `sightline watch`, as a process checks them.
@Suite(.hangLimit) struct WatchFileTests {
    private func check(_ text: String, in folder: URL? = nil, environment: [String: String] = [:]) async throws
        -> Command.Result
    {
        if let folder {
            try Data(text.utf8).write(to: folder.appending(path: "cameras.yaml"))
            return try await Command.run(["watch", "cameras.yaml", "--check"], in: folder, environment: environment)
        }
        var result: Command.Result?
        try await withTemporaryFolder { result = try await check(text, in: $0, environment: environment) }
        return try #require(result)
    }

    private func camera(_ entries: String) -> String {
        "cameras:\n  door: {input: \"rtsp://127.0.0.1:1/\", model: \(Command.detector), \(entries)}\n"
    }

    @Test(arguments: ["yes", "no", "on", "off", "True", "FALSE", "\"true\""])
    func takesTheTruthValuesOfOtherPrograms(word: String) async throws {
        let result = try await check("home-assistant: off\n" + camera("motion: \(word), optimize: \(word)"))
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test(arguments: ["1", "maybe", "[yes]", "{yes: 1}", "~", "nO"])
    func namesTheTruthValues(word: String) async throws {
        let result = try await check(camera("motion: \(word)"))
        #expect(result.status == 2)
        #expect(result.errors.contains("cameras.yaml:2: The entry motion is true or false."))
    }

    @Test func theMistakesOfAnotherKindOfFileAreCounted() async throws {
        let result = try await check((1...400).map { "key\($0): 1\n" }.joined())
        #expect(result.status == 2)
        #expect(result.errors.contains("cameras.yaml has 351 further mistakes; correct these first."))
        #expect(result.errors.split(separator: "\n").count == 51)
    }

    @Test func takesTheWordNoAsATextWhereTextIsExpected() async throws {
        let result = try await check(camera("locale: no"))
        #expect(!result.errors.contains("true or false"))
    }

    @Test(
        arguments: [
            (
                "cameras:\n\tdoor: {input: a.mp4}\n", "cameras.yaml:2: ",
                "begins with a tab, which cannot indent; use spaces"
            ),
            ("cameras:\n  door:\n  \tinput: a.mp4\n", "cameras.yaml:", "begins with a tab"),
            ("cameras:\n  door:\n    input: @home\n", "cameras.yaml:3: ", "the character @ cannot begin a value"),
            ("cameras:\n  door:\n    input: a: b\n", "cameras.yaml:3: ", "put a value with a colon in quotes"),
            ("cameras:\n  door\n  yard: {}\n", "cameras.yaml:3: ", "the line before lacks its colon"),
            (String(repeating: "[", count: 5000), "cameras.yaml:1: ", "within too many others"),
        ]
    )
    func saysHowYAMLIsMended(text: String, place: String, reason: String) async throws {
        let result = try await check(text)
        #expect(result.status == 2)
        #expect(result.errors.contains(place) && result.errors.contains(reason), "\(result.errors)")
    }

    private static let bomb = (1...9).map { number in
        "a\(number): &a\(number) [" + String(repeating: "*a\(number - 1),", count: 9) + "]\n"
    }.joined()

    @Test(
        arguments: [
            "a0: &a0 [x]\n\(bomb)? *a9 : 1\n", "a0: &a0 [x]\n\(bomb)cameras: *a9\n", "{a: &q x, ? &b:*q : 1}",
            "usual: &usual {every: 3}\ncameras:\n  door: {<<: *usual, input: a.mp4}\n",
        ]
    )
    func refusesAliases(text: String) async throws {
        let result = try await check(text)
        #expect(result.status == 2)
        #expect(result.errors.contains("Aliases of YAML (*name) are not read"), "\(result.errors)")
    }

    @Test func takesAddressesWithTheSignsOfAnchorsAndAliases() async throws {
        let text =
            "cameras:\n  door: {input: \"rtsp://127.0.0.1:1/?a=1&b=*\", model: \(Command.detector)} # &a *b\n"
        let result = try await check(text)
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test(arguments: [
        "922337203685477580:00-01:00", "00:00-9223372036854775807:00", "Mon 153722867280912931:00-01:00", "24:01-01:00",
    ])
    func refusesHoursThatNoDayHas(schedule: String) async throws {
        let result = try await check(camera("schedule: \"\(schedule)\""))
        #expect(result.status == 2)
        #expect(result.errors.contains("A schedule has days and times"))
    }

    @Test(
        arguments: [
            (
                "events: missing/e.jsonl\n", "",
                "1: missing/e.jsonl cannot be written, because its folder missing does not exist"
            ),
            ("metrics: missing/m.prom\n", "", "1: missing/m.prom cannot be written"),
            ("", "events: missing/e.jsonl", "2: missing/e.jsonl cannot be written"),
            ("", "line: {a: \"0,0,0,9\"}, counts: missing/c.csv", "2: missing/c.csv cannot be written"),
            ("", "pictures: cameras.yaml/p", "2: The folder cameras.yaml/p cannot be written"),
            ("events: e.jsonl\nqueue: cameras.yaml\n", "", "2: The folder cameras.yaml cannot be written"),
            ("", "events: .", "2: . is a folder, but a file is written there"),
        ]
    )
    func namesAPlaceThatCannotBeWritten(top: String, entries: String, message: String) async throws {
        let result = try await check(top + camera(entries.isEmpty ? "every: 1" : entries))
        #expect(result.status == 2)
        #expect(result.errors.contains("cameras.yaml:" + message), "\(result.errors)")
    }

    @Test(arguments: ["pictures: p", "events: e", "events: é, pictures: p/"])
    func takesPlacesWithNamesOfASingleLetter(entries: String) async throws {
        let result = try await check(camera(entries))
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func namesAFileThatIsNotThereAndCanComeLater() async throws {
        let result = try await check("cameras:\n  door: {input: a.mp4, model: \(Command.detector)}\n")
        #expect(result.status == 0)
        #expect(result.errors.contains("cameras.yaml:2: There is no file a.mp4 now"))
    }

    @Test func namesAFileThatCannotBeRead() async throws {
        try await withTemporaryFolder { folder in
            let missing = try await Command.run(["watch", "nope.yaml"], in: folder)
            #expect(missing.status == 2)
            #expect(missing.errors.contains("nope.yaml cannot be read (No such file or directory); name a YAML file"))
            let isFolder = try await Command.run(["watch", "."], in: folder)
            #expect(isFolder.status == 2)
            #expect(isFolder.errors.contains(". is a folder; name a YAML file"))
        }
    }

    @Test(arguments: ["allow: [persons]", "classifier: nothing", "model: yolo-nano", "roi: \"0,0,0,0\""])
    func aMistakeInAFileIsNoMistakeOfTheCommandLine(entries: String) async throws {
        let text = "cameras:\n  door: {input: \"rtsp://127.0.0.1:1/\", \(entries)}\n"
        #expect(try await check(text).status == 2)
    }

    @Test func saysUntilWhenACameraSleeps() async throws {
        try await withTemporaryFolder { folder in
            // An hour that begins in twelve hours.
            let hour = (Calendar.current.component(.hour, from: Date()) + 12) % 24
            let text = camera("schedule: \"\(hour):30-\(hour):45\"")
            try Data(text.utf8).write(to: folder.appending(path: "cameras.yaml"))
            let process = try await Command.program.start(["watch", "cameras.yaml"], in: folder)
            try await process.waitForErrors { $0.contains("door: paused outside of its schedule until ") }
            process.send(signal: SIGINT)
            #expect(try await process.result().status == 130)
        }
    }

    // MARK: The options of track

    @Test func camerasHaveTheOptionsOfTrack() {
        #expect(WatchFileReader.trackKeys.isSuperset(of: ["model", "motion", "line", "counts", "slice", "max-pixels"]))
        #expect(WatchFileReader.trackKeys.isDisjoint(with: WatchFileReader.deliveryKeys))
        #expect(WatchFileReader.deliveryKeys.isSuperset(of: ["mqtt", "home-assistant", "webhook", "queue"]))
    }

    @Test func theOptionsThatCamerasDoNotHaveAreOptionsOfTrack() {
        #expect(WatchFileReader.otherOptions.isSubset(of: OptionNames(TrackCommand.self).all))
    }

    @Test func logsLocalTimeWithItsZone() throws {
        let date = Date(timeIntervalSince1970: 1_795_893_212)
        let zone = try #require(TimeZone(identifier: "America/New_York"))
        #expect(LogTime.text(date, in: zone) == "2026-11-28 14:13:32-05:00")
        #expect(LogTime.text(date, in: .gmt) == "2026-11-28 19:13:32Z")
    }
}
