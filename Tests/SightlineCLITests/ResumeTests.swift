import Foundation
import SightlineTestSupport
import Testing

/// Runs that go on where an earlier run stopped.
@Suite(.hangLimit) struct ResumeTests {
    private let label = ["label", "--model", Command.classifier, "p"]
    private let names = ["a.png", "b.png", "c, \"d\".png", "e.png"]

    private func withPictures(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let red = try Pictures.png(red: 255)
            try Pictures.write(Dictionary(uniqueKeysWithValues: names.map { ("p/" + $0, red) }), in: folder)
            try await body(folder)
        }
    }

    /// The text without the times of each picture.
    private func untimed(_ text: String) -> String {
        text.replacing(/"milliseconds":\{[^}]*\}/, with: "")
    }

    @Test(arguments: ["jsonl", "csv"]) func anInterruptedFileBecomesTheFileOfOneRun(format: String) async throws {
        try await withPictures { folder in
            let file = folder.appending(path: "results.\(format)")
            let arguments = label + ["--output", file.path]
            let first = try await Command.run(arguments, in: folder)
            #expect(first.status == 0)
            let whole = try Data(contentsOf: file)
            // A kill may leave any number of bytes.
            for length in stride(from: 0, through: whole.count, by: whole.count / 9) {
                try whole.prefix(length).write(to: file)
                let result = try await Command.run(arguments + ["--resume"], in: folder)
                #expect(result.status == 0, "\(result.errors)")
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(untimed(text) == untimed(String(decoding: whole, as: UTF8.self)), "after \(length) bytes")
            }
        }
    }

    @Test func theSummaryCountsPicturesThatWereDoneBefore() async throws {
        try await withPictures { folder in
            let arguments = label + ["--output", "results.jsonl"]
            _ = try await Command.run(arguments, in: folder)
            let again = try await Command.run(arguments + ["--resume"], in: folder)
            #expect(again.status == 0)
            #expect(again.output.hasPrefix("0 pictures, 0 objects in 0 of them, 4 done before"), "\(again.output)")
        }
    }

    @Test func anInterruptedRunNamesTheOptionThatGoesOn() async throws {
        try await withPictures { folder in
            let file = folder.appending(path: "results.jsonl")
            let arguments = ["label", "--model", Command.classifier, "--stdin", "--output", file.path]
            let process = try await Command.program.start(arguments, in: folder)
            try await process.send("p/a.png\n")
            try await wait(while: { (try? Data(contentsOf: file))?.isEmpty ?? true })
            process.send(signal: SIGINT)
            let result = try await process.result()
            #expect(result.ending == .signaled(SIGINT))
            #expect(result.errors == "sightline: Stopped; the same command with --resume goes on here.\n")
        }
    }

    @Test func aFileOfAnotherKindStaysAsItIs() async throws {
        try await withPictures { folder in
            let notes = folder.appending(path: "notes.jsonl")
            try Data("my notes\n".utf8).write(to: notes)
            let result = try await Command.run(label + ["--output", "notes.jsonl", "--resume"], in: folder)
            #expect(result.status == 2)
            #expect(result.errors.contains("it has lines that are not results of pictures; name another file"))
            #expect(try Data(contentsOf: notes) == Data("my notes\n".utf8))
        }
    }

    @Test(arguments: [["--format", "jsonl"], ["--output", "a.json"]])
    func onlyAFileOfLinesCanBeResumed(arguments: [String]) async throws {
        try await withPictures { folder in
            let result = try await Command.run(label + arguments + ["--resume"], in: folder)
            #expect(result.status == 2)
            #expect(result.output == "" && result.errors.hasPrefix("sightline: "))
        }
    }
}
