import Foundation
import SightlineTestSupport
import Testing

/// Pictures that come in frames on standard input.
@Suite(.hangLimit)
struct FrameCommandTests {
    private let label = ["label", "--stdin-format", "frames", "--model", Command.classifier, "--max-labels", "1"]

    /// A picture as a frame.
    private func frame(_ name: String, _ picture: Data) -> Data { Data("\(picture.count) \(name)\n".utf8) + picture }

    /// The first label of each record.
    private func labels(_ result: Program.Result) throws -> [String?] {
        try result.records().map { ($0["labels"] as? [[String: Any]])?.first?["text"] as? String }
    }

    @Test(arguments: ["1", "3"]) func answersComeInTheOrderOfTheFrames(workers: String) async throws {
        let frames =
            try frame("a b/red ü.png", Pictures.png(red: 255)) + frame("2", Pictures.png(green: 255))
            + frame("", Pictures.png(blue: 255)) + frame("2", Pictures.png(red: 255))
        let result = try await Command.run(label + ["--workers", workers], input: frames)
        #expect(result.status == 0)
        #expect(try result.records().map { $0["image"] as? String } == ["a b/red ü.png", "2", "", "2"])
        #expect(try labels(result) == ["red", "green", "blue", "red"])
    }

    @Test func anAnswerIsThatOfThePictureAsAFile() async throws {
        try await withTemporaryFolder { folder in
            let picture = try Pictures.stripes(width: 300, height: 200)
            try Pictures.write(["p.png": picture], in: folder)
            let detect = ["detect", "--model", Command.detector, "--format", "jsonl"]
            let framed = try await Command.run(detect + ["--stdin-format", "frames"], input: frame("p.png", picture))
            let named = try await Command.run(detect + ["p.png"], in: folder)
            func untimed(_ text: String) -> String { text.replacing(/"milliseconds":\{[^}]*\}/, with: "") }
            #expect(framed.status == 0 && untimed(framed.output) == untimed(named.output))
        }
    }

    @Test(arguments: ["1", "2"]) func eachAnswerComesBeforeTheNextFrameIsSent(workers: String) async throws {
        let process = try await Command.program.start(label + ["--workers", workers])
        for number in 1...3 {
            try await process.send(frame("picture \(number)", Pictures.png(red: 255)))
            try await process.waitForOutput { $0.hasSuffix("\n") && $0.contains("picture \(number)\"") }
        }
        await process.closeInput()
        #expect(try await process.result().status == 0)
    }

    @Test func aFrameMayComeInPieces() async throws {
        let process = try await Command.program.start(label)
        let bytes = try frame("slow", Pictures.png(green: 255))
        for piece in [bytes.prefix(1), bytes.dropFirst().prefix(40), bytes.dropFirst(41)] {
            try await process.send(Data(piece))
            try await Task.sleep(for: .milliseconds(20))
        }
        await process.closeInput()
        let result = try await process.result()
        #expect(try result.status == 0 && labels(result) == ["green"])
    }

    @Test func aFrameWithoutAPictureIsAFailureOfItsOwn() async throws {
        let frames =
            try frame("empty", Data()) + frame("noise", Data("no picture\n".utf8))
            + frame("red", Pictures.png(red: 255))
        let result = try await Command.run(label, input: frames)
        #expect(result.status == 1)
        let records = try result.records()
        #expect(records.map { $0["image"] as? String } == ["empty", "noise", "red"])
        #expect(records.map { $0["error"] != nil } == [true, true, false])
        #expect((records.first?["error"] as? String)?.hasPrefix("The picture has no bytes") == true)
    }

    @Test func noFramesAreNoFailure() async throws {
        let result = try await Command.run(label)
        #expect(result.status == 0 && result.output == "" && result.errors == "")
    }

    @Test(arguments: [
        ("no frame\n", "begins with \"no frame\", but a frame begins with the number of its bytes"),
        ("12\n", "begins with \"12\", but"), ("-5 a\n", "begins with \"-5 a\", but"),
        ("123456789012345678901 a\n", "begins with \"123456789012345678901 a\", but"),
        ("5 " + String(repeating: "n", count: 4097) + "\n", "begins with \"5 nnnnnnnnnnnnnnnnnnnnnn…\", but"),
        ("12 cut", "is cut off in its header"), ("12 cut\n12345", "after 5 of the picture's 12 bytes"),
        ("99999999999999999999 endless\n12345", "is cut off: standard input ends after 5 of the picture's"),
    ])
    func aBrokenFrameEndsTheRunAfterTheAnswersSoFar(rest: String, message: String) async throws {
        let whole = try frame("red", Pictures.png(red: 255))
        let result = try await Command.run(label + ["--keep-going"], input: whole + Data(rest.utf8))
        #expect(result.status == 2)
        #expect(try labels(result) == ["red"])
        #expect(result.errors.hasPrefix("sightline: frame 2, at byte \(whole.count), "), "\(result.errors)")
        #expect(result.errors.contains(message), "\(result.errors)")
    }

    @Test func aNameThatIsNotUTF8IsPrintedWithItsBytes() async throws {
        let picture = try Pictures.png(red: 255)
        let result = try await Command.run(label, input: Data("\(picture.count) caf".utf8) + [0xE9, 0x0A] + picture)
        #expect(try result.records().map { $0["image"] as? String } == ["caf\\xE9"])
    }

    @Test func framesAndPicturesOnTheCommandLineDoNotMix() async throws {
        let result = try await Command.run(label + ["a.png"])
        #expect(result.status == 64)
        #expect(result.errors.contains("Give either pictures or --stdin-format frames, not both."))
    }

    @Test func aRunThatGoesOnSkipsTheFramesThatAreDone() async throws {
        try await withTemporaryFolder { folder in
            let (red, green) = (try frame("red", Pictures.png(red: 255)), try frame("green", Pictures.png(green: 255)))
            let arguments = label + ["--output", "results.jsonl", "--resume"]
            for frames in [red, red + green] {
                #expect(try await Command.run(arguments, input: frames, in: folder).status == 0)
            }
            let text = try String(contentsOf: folder.appending(path: "results.jsonl"), encoding: .utf8)
            #expect(text.split(separator: "\n").count == 2)
        }
    }
}
