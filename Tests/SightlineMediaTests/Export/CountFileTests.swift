import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Rows of a live stream have the dates of the clock and the calendar, whatever happens to the clock, the calendar or the program.
@Suite(.hangLimit) struct CountFileTests {
    /// A stream of a camera with the zone x 100…200, and the clocks of its machine.
    private struct Camera {
        var history = StreamHistory(
            zones: [
                PolygonZone(
                    [
                        PixelPoint(x: 100, y: 0), PixelPoint(x: 200, y: 0), PixelPoint(x: 200, y: 99),
                        PixelPoint(x: 100, y: 99),
                    ],
                    name: "yard"
                )
            ]
        )
        var time = Duration.zero
        var date: Date
        var instant = ContinuousClock.now
        private var people = 0

        init(at date: String) throws { self.date = try Date(date, strategy: .iso8601) }

        /// Lets time pass.
        mutating func wait(_ seconds: Double) {
            time += .seconds(seconds)
            instant += .seconds(seconds)
            date += seconds
        }

        /// Adds a frame with people at these places.
        mutating func show(_ places: [Int: Double] = [:], in file: inout CountFile) throws {
            let objects = places.sorted { $0.key < $1.key }.map { id, x in
                DetectedObject(
                    frame: PixelRect(x: x - 5, y: 40, width: 10, height: 10),
                    confidence: 0.9,
                    labels: [Label(text: "person", index: 0, confidence: 0.9)],
                    track: Track(state: .confirmed(id: id), firstSeen: .zero, lastSeen: .zero, isDetected: true)
                )
            }
            let size = PixelSize(width: 640, height: 480)
            let events = history.update(StreamResult(timestamp: time, index: 0, size: size, objects: objects))
            try file.append(events, until: time, at: date, instant: instant)
        }

        /// Lets a person enter the zone and leave it, in three seconds.
        mutating func visit(in file: inout CountFile) throws {
            people += 1
            for x in [50.0, 150, 150, 250, 250, 250] {
                try show([people: x], in: &file)
                wait(0.5)
            }
            try show(in: &file)
        }
    }

    private static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt

    private func open(_ url: URL, _ camera: Camera, period: Duration) throws -> CountFile {
        try CountFile(url, of: camera.history, period: period, timeZone: Self.berlin)
    }

    private func withFile(_ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { try body($0.appending(path: "counts.csv")) }
    }

    /// The fields of the rows, without the heading.
    private func rows(_ url: URL) throws -> [[Substring]] {
        try String(contentsOf: url, encoding: .utf8).split(separator: "\n").dropFirst()
            .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    }

    /// The dates between rows: of each begin, and of the last end.
    private func dates(_ url: URL) throws -> [Substring] {
        let rows = try rows(url)
        for (row, next) in zip(rows, rows.dropFirst()) { #expect(row[1] == next[0]) }
        return rows.map { $0[0] } + (rows.last.map { [$0[1]] } ?? [])
    }

    private func sums(_ url: URL) throws -> (entered: Int, left: Int) {
        try rows(url).reduce((0, 0)) { ($0.0 + (Int($1[4]) ?? 0), $0.1 + (Int($1[5]) ?? 0)) }
    }

    @Test(arguments: [0, 1, 20])
    func theRowsThatAKillKeptFromTheFileFollowWithTheNextRun(tornByteCount: Int) throws {
        try withFile { url in
            let heading = "start,end,place,label,entered,left,mean_inside\n"
            let start = "2026-11-30T08:00:00Z"
            let saved = ["door", "\"yard, left\"", "yard"].map { "\(start),2026-11-30T08:59:00Z,\($0),person,1,0,\n" }
            let ended = "\(start),2026-11-30T09:00:00Z,door,person,2,0,\n"
            try Data("after \(heading.utf8.count)\n\(saved.joined())".utf8).write(to: URL(filePath: url.path + ".open"))
            // The kill came in the write of the rows of the whole period.
            let torn = "\(start),2026-11-30T09:00:00Z,\"yard, left\",person,1,0,".prefix(tornByteCount)
            try Data((heading + ended + torn).utf8).write(to: url)
            var file = try open(url, try Camera(at: "2026-11-30T10:00:00Z"), period: .seconds(3600))
            #expect(try String(contentsOf: url, encoding: .utf8) == heading + ended + saved[1] + saved[2])
            try file.finish()
        }
    }

    // MARK: The calendar

    /// A change of summer time, and the ends of periods around it.
    struct Change: Sendable, CustomTestStringConvertible {
        var zone = "Europe/Berlin"
        let period: Duration
        let beginning: String
        let hours: Int
        let ends: [String]
        var testDescription: String { "\(zone): \(period) from \(beginning)" }
    }

    private static let changes = [
        Change(
            period: .seconds(86_400),
            beginning: "2026-10-23T10:00:00Z",
            hours: 80,
            ends: ["2026-10-23T22:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "2026-10-26T18:00:00Z"]
        ),
        Change(
            period: .seconds(86_400),
            beginning: "2026-03-28T10:00:00Z",
            hours: 40,
            ends: ["2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "2026-03-30T02:00:00Z"]
        ),
        Change(
            period: .seconds(3600),
            beginning: "2026-10-24T23:30:00Z",
            hours: 3,
            ends: ["2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z", "2026-10-25T02:30:00Z"]
        ),
        Change(
            period: .seconds(7200),
            beginning: "2026-10-24T22:30:00Z",
            hours: 5,
            ends: ["2026-10-25T00:00:00Z", "2026-10-25T03:00:00Z", "2026-10-25T03:30:00Z"]
        ),
        Change(
            period: .seconds(7200),
            beginning: "2026-03-28T23:30:00Z",
            hours: 4,
            ends: ["2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z", "2026-03-29T03:30:00Z"]
        ),
        Change(
            zone: "America/New_York",
            period: .seconds(86_400),
            beginning: "2026-03-07T15:00:00Z",
            hours: 60,
            ends: ["2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z", "2026-03-10T03:00:00Z"]
        ),
        Change(
            zone: "America/New_York",
            period: .seconds(86_400),
            beginning: "2026-10-31T15:00:00Z",
            hours: 60,
            ends: ["2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z", "2026-11-03T03:00:00Z"]
        ),
        Change(
            zone: "America/New_York",
            period: .seconds(3600),
            beginning: "2026-11-01T04:30:00Z",
            hours: 3,
            ends: ["2026-11-01T05:00:00Z", "2026-11-01T06:00:00Z", "2026-11-01T07:00:00Z", "2026-11-01T07:30:00Z"]
        ),
        // Clocks of Lord Howe Island go forward and back by half an hour, at two.
        Change(
            zone: "Australia/Lord_Howe",
            period: .seconds(86_400),
            beginning: "2026-10-03T03:30:00Z",
            hours: 48,
            ends: ["2026-10-03T13:30:00Z", "2026-10-04T13:00:00Z", "2026-10-05T03:30:00Z"]
        ),
        Change(
            zone: "Australia/Lord_Howe",
            period: .seconds(86_400),
            beginning: "2026-04-04T03:00:00Z",
            hours: 48,
            ends: ["2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z", "2026-04-06T03:00:00Z"]
        ),
        Change(
            zone: "Australia/Lord_Howe",
            period: .seconds(3600),
            beginning: "2026-10-03T15:00:00Z",
            hours: 2,
            ends: ["2026-10-03T15:30:00Z", "2026-10-03T16:00:00Z", "2026-10-03T17:00:00Z"]
        ),
        Change(
            zone: "Australia/Lord_Howe",
            period: .seconds(1800),
            beginning: "2026-04-04T14:15:00Z",
            hours: 2,
            ends: [
                "2026-04-04T14:30:00Z", "2026-04-04T15:00:00Z", "2026-04-04T15:30:00Z", "2026-04-04T16:00:00Z",
                "2026-04-04T16:15:00Z",
            ]
        ),
        // The calendar knows changes after the end of 32-bit time.
        Change(
            period: .seconds(3600),
            beginning: "2038-01-19T02:30:00Z",
            hours: 1,
            ends: ["2038-01-19T03:00:00Z", "2038-01-19T03:30:00Z"]
        ),
        Change(
            period: .seconds(86_400),
            beginning: "2038-03-27T10:00:00Z",
            hours: 40,
            ends: ["2038-03-27T23:00:00Z", "2038-03-28T22:00:00Z", "2038-03-29T02:00:00Z"]
        ),
    ]

    @Test(arguments: changes) func periodsEndWithTheLocalHourOrDay(change: Change) throws {
        try withFile { url in
            var camera = try Camera(at: change.beginning)
            let zone = try #require(TimeZone(identifier: change.zone))
            var file = try CountFile(url, of: camera.history, period: change.period, timeZone: zone)
            for _ in 0...(change.hours * 4) {
                try camera.show(in: &file)
                camera.wait(900)
            }
            try file.finish()
            #expect(try dates(url).map(String.init) == [change.beginning] + change.ends)
        }
    }

    @Test func aDayWithoutMidnightIsOneDay() throws {
        try withFile { url in
            // Clocks in Cairo left out the first hour of 28 April 2023.
            var camera = try Camera(at: "2023-04-27T10:00:00Z")
            let zone = try #require(TimeZone(identifier: "Africa/Cairo"))
            var file = try CountFile(url, of: camera.history, period: .seconds(86_400), timeZone: zone)
            for _ in 0..<36 {
                try camera.show(in: &file)
                camera.wait(3600)
            }
            #expect(try dates(url) == ["2023-04-27T10:00:00Z", "2023-04-27T22:00:00Z", "2023-04-28T21:00:00Z"])
        }
    }

    // MARK: The clock

    @Test(arguments: [17_280_000.0, 86_400, 7200, -7200, -864_000])
    func rowsHaveTheDatesOfTheClockAfterItWasSet(shift: Double) throws {
        try withFile { url in
            var camera = try Camera(at: "2026-06-01T10:10:00Z")
            var file = try open(url, camera, period: .seconds(3600))
            try camera.visit(in: &file)
            camera.date += shift
            let set = camera.date
            for _ in 0..<60 {
                try camera.visit(in: &file)
                camera.wait(60)
            }
            try file.finish()
            let rows = try rows(url)
            #expect(try sums(url) == (61, 61))
            // All that was counted lies in the hours of the new clock, and hours are full again.
            let first = try Date(String(rows[0][0]), strategy: .iso8601)
            #expect(abs(set.timeIntervalSince(first) - 3) <= 1)
            #expect(rows[0][1].hasSuffix(":00:00Z"))
        }
    }

    @Test func aPeriodThatWouldCoverAFullHourAfterTheClockWasSetEndsThere() throws {
        try withFile { url in
            var camera = try Camera(at: "2026-06-01T10:05:00Z")
            var file = try open(url, camera, period: .seconds(3600))
            for _ in 0..<40 {
                try camera.visit(in: &file)
                camera.wait(57)
            }
            camera.date += 20 * 60
            try camera.visit(in: &file)
            try file.finish()
            #expect(
                try dates(url) == [
                    "2026-06-01T10:25:00Z", "2026-06-01T11:05:00Z", "2026-06-01T11:05:03Z",
                ]
            )
            #expect(try rows(url).map { $0[4] } == ["40", "1"])
        }
    }

    @Test func aClockThatIsAdjustedChangesNothing() throws {
        try withFile { url in
            var camera = try Camera(at: "2026-06-01T10:00:00Z")
            var file = try open(url, camera, period: .seconds(3600))
            for _ in 0...240 {
                try camera.show(in: &file)
                camera.wait(60)
                camera.date += 0.03
            }
            #expect(try rows(url).map { $0[1] }.allSatisfy { $0.hasSuffix(":00:00Z") })
            #expect(try rows(url).count == 4)
        }
    }

    // MARK: The end of the program

    /// Counts visits, and leaves the file as a kill does.
    private func killed(_ url: URL, after visits: Int, _ camera: inout Camera) throws {
        var file = try open(url, camera, period: .seconds(3600))
        for _ in 0..<visits { try camera.visit(in: &file) }
    }

    @Test func theNextRunWritesTheRowsOfAKilledOne() throws {
        try withFile { url in
            var camera = try Camera(at: "2026-06-01T10:00:00Z")
            try killed(url, after: 3, &camera)
            #expect(try rows(url).isEmpty)
            camera.wait(600)
            var file = try open(url, camera, period: .seconds(3600))
            let row = try rows(url)[0]
            #expect(row[0] == "2026-06-01T10:00:00Z")
            #expect(row[1] >= "2026-06-01T10:00:08Z" && row[1] <= "2026-06-01T10:00:09Z")
            #expect(try sums(url) == (3, 3))
            try camera.visit(in: &file)
            try file.finish()
            #expect(try sums(url) == (4, 4))
            let names = try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
            #expect(names == ["counts.csv"])
        }
    }

    @Test func aRowStandsOnceWhereverTheKillCame() throws {
        try withFile { url in
            var camera = try Camera(at: "2026-06-01T10:00:00Z")
            try killed(url, after: 3, &camera)
            let beside = url.appendingPathExtension("open")
            let left = try Data(contentsOf: beside)
            _ = try open(url, camera, period: .seconds(3600))
            // A kill after the row was written, and before the file beside it was removed.
            try left.write(to: beside)
            _ = try open(url, camera, period: .seconds(3600))
            #expect(try sums(url) == (3, 3))
        }
    }

    @Test func rowsOfAKilledRunFollowAFileThatWasMovedAway() throws {
        try withFile { url in
            var camera = try Camera(at: "2026-06-01T10:00:00Z")
            try killed(url, after: 1, &camera)
            try killed(url, after: 2, &camera)
            try FileManager.default.removeItem(at: url)
            _ = try open(url, camera, period: .seconds(3600))
            #expect(try sums(url) == (2, 2))
        }
    }

    @Test(arguments: ["", "after", "after x\n", "after 5\ntorn"]) func damagedRowsAreLeftOut(text: String) throws {
        try withFile { url in
            try Data(text.utf8).write(to: url.appendingPathExtension("open"))
            _ = try open(url, try Camera(at: "2026-06-01T10:00:00Z"), period: .seconds(3600))
            #expect(try rows(url).isEmpty)
        }
    }

    // MARK: Two at once

    @Test(arguments: ["counts.csv", "./counts.csv", "sub/../counts.csv", "link.csv", "hard.csv"])
    func aFileHasOneWriterUnderAllItsNames(name: String) throws {
        try withFile { url in
            let (folder, camera) = (url.deletingLastPathComponent(), try Camera(at: "2026-06-01T10:00:00Z"))
            let files = FileManager.default
            try files.createDirectory(at: folder.appending(path: "sub"), withIntermediateDirectories: false)
            let first = try open(url, camera, period: .seconds(3600))
            try files.createSymbolicLink(at: folder.appending(path: "link.csv"), withDestinationURL: url)
            try files.linkItem(at: url, to: folder.appending(path: "hard.csv"))
            let other = URL(filePath: folder.path + "/" + name)
            #expect {
                _ = try open(other, camera, period: .seconds(3600))
            } throws: { error in
                if case MediaError.inUse = error { true } else { false }
            }
            // The results of a video would start the file over.
            #expect(throws: MediaError.self) { _ = try ResultFormat.csv.sink(for: .frames, to: other) }
            let text = try String(contentsOf: url, encoding: .utf8)
            #expect(text == "start,end,place,label,entered,left,mean_inside\n")
            withExtendedLifetime(first) {}
        }
    }
}
