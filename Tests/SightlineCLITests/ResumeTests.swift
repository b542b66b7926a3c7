import Foundation
import SightlineTestSupport
import Testing

/// Runs that continue where an earlier run stopped.
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

    /// The recipe "Watch a folder for new pictures" of the documentation.
    @Test(arguments: ["jsonl", "csv"]) func `A picture that is still being copied is answered when it is whole`(
        format: String
    ) async throws {
        try await withPictures { folder in
            let whole = try Data(contentsOf: folder.appending(path: "p/a.png"))
            let copied = folder.appending(path: "p/copied.png")
            try whole.prefix(whole.count / 2).write(to: copied)
            let arguments = label + ["--output", "found.\(format)", "--resume"]
            let first = try await Command.run(arguments, in: folder)
            #expect(first.status == 1 && first.errors.contains("copied.png"))
            try whole.write(to: copied)
            let second = try await Command.run(arguments, in: folder)
            #expect(second.status == 0 && second.errors == "", "\(second.errors)")
            let text = try String(contentsOf: folder.appending(path: "found.\(format)"), encoding: .utf8)
            let rows = text.split(separator: "\n").filter { $0.contains("copied.png") }
            #expect(!rows.isEmpty && rows.allSatisfy { !$0.contains("cut off") && $0.contains("red") }, "\(text)")
            #expect(text.split(separator: "\n").allSatisfy { !$0.contains("\"error\"") })
            let third = try await Command.run(arguments, in: folder)
            // Rows of the last picture of a CSV file may be missing, so it is done again.
            #expect(third.output.contains(format == "csv" ? ", 4 done before" : ", 5 done before"), "\(third.output)")
        }
    }

    @Test func `A picture whose drawing could not be written is tried again`() async throws {
        try await withPictures { folder in
            // A folder stands where the drawing belongs.
            let drawing = folder.appending(path: "drawn/b.png")
            try FileManager.default.createDirectory(at: drawing, withIntermediateDirectories: true)
            let arguments = [
                "detect", "--model", Command.detector, "p", "--annotate", "drawn/", "--output", "found.jsonl",
                "--resume",
            ]
            let first = try await Command.run(arguments, in: folder)
            #expect(first.status == 1 && first.errors.contains("b.png"))
            try FileManager.default.removeItem(at: drawing)
            let second = try await Command.run(arguments, in: folder)
            #expect(second.status == 0 && second.errors == "", "\(second.errors)")
            #expect(
                second.output.contains("1 picture, ") && second.output.contains("3 done before"),
                "\(second.output)"
            )
            let text = try String(contentsOf: folder.appending(path: "found.jsonl"), encoding: .utf8)
            #expect(text.split(separator: "\n").count == 4 && !text.contains("\"error\""))
            let drawn = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "drawn").path)
            #expect(Set(drawn) == Set(names))
        }
    }

    @Test(arguments: [
        (
            ["label", "--model", "other.tflite", "p"],
            "the model classifier_uint8_metadata.tflite, and this run uses other.tflite"
        ),
        (["label", "--model", Command.classifier, "p", "--threshold", "0.5"], "with other values of --threshold"),
        (["label", "--model", Command.classifier, "p", "--annotate", "drawn/"], "with other values of --annotate"),
        (["detect", "--model", Command.detector, "p"], "has results of `sightline label`"),
    ])
    func `A file that another run wrote is refused and stays as it is`(run: [String], sentence: String) async throws {
        try await withPictures { folder in
            let other = TestData.fixture("models/classifier_float_metadata.tflite")
            try FileManager.default.copyItem(at: other, to: folder.appending(path: "other.tflite"))
            _ = try await Command.run(label + ["--output", "found.jsonl"], in: folder)
            let results = try Data(contentsOf: folder.appending(path: "found.jsonl"))
            let result = try await Command.run(run + ["--output", "found.jsonl", "--resume"], in: folder)
            #expect(result.status == 2 && result.errors.contains(sentence), "\(result.errors)")
            #expect(try Data(contentsOf: folder.appending(path: "found.jsonl")) == results)
        }
    }

    @Test func `Options that change no answer may differ`() async throws {
        try await withPictures { folder in
            _ = try await Command.run(label + ["--output", "found.jsonl"], in: folder)
            let others = ["--output", "found.jsonl", "--resume", "--workers", "2", "--keep-going", "--no-times"]
            let result = try await Command.run(label + others, in: folder)
            #expect(result.status == 0 && result.errors == "", "\(result.errors)")
        }
    }

    @Test func `Results that a run replaces are named`() async throws {
        try await withPictures { folder in
            let first = try await Command.run(label + ["--output", "found.csv"], in: folder)
            #expect(first.errors == "")
            let second = try await Command.run(label + ["--output", "found.csv"], in: folder)
            #expect(
                second.errors
                    == "sightline: found.csv had results, which are replaced; --resume would continue them.\n"
            )
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
            #expect(result.errors == "sightline: Stopped; the same command with --resume continues here.\n")
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
