import Foundation
import SightlineTestSupport
import Testing

@testable import SightlineCLI

/// File names that are not UTF-8.
@Suite(.hangLimit)
struct FileNameTests {
    static let names: [[UInt8]] = [
        Array("plain.jpg".utf8), Array("Käse 猫 🐈.jpg".utf8), [0x63, 0xE9, 0x2E, 0x70, 0x6E, 0x67], [0xFF],
        [0x80, 0xC3],
        [0xE7, 0x8C], [0xED, 0xA0, 0x80], Array("\u{10FFE9}".utf8), [0xF4, 0x8F, 0xBF, 0xA9, 0xE9], [],
    ]

    @Test(arguments: names) func theBytesComeBack(bytes: [UInt8]) {
        #expect(FileName.bytes(FileName.text(bytes)) == bytes)
    }

    @Test func aNameInUTF8IsItsOwnText() {
        #expect(FileName.text(Array("Käse.jpg".utf8)) == "Käse.jpg")
        #expect(FileName.isUTF8("Käse.jpg"))
        #expect(FileName.printed("Käse.jpg") == "Käse.jpg")
    }

    @Test func aByteThatIsNotUTF8IsPrintedByItsNumber() {
        let name = FileName.text([0x63, 0xE9, 0x2E, 0x70, 0x6E, 0x67])
        #expect(!FileName.isUTF8(name))
        #expect(FileName.printed(name) == #"c\xE9.png"#)
    }

    /// Makes the pictures `c\xE9.png` and `d\xE9/x.png` by their bytes, and calls `body` with their folder.
    private func withOddNames(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let odd: [UInt8] = [0x63, 0xE9]
            let root = Array((folder.path + "/").utf8)
            try Pictures.write(["red.png": Pictures.png(red: 255)], in: folder)
            let linked = (root + odd + Array(".png".utf8) + [0]).map { CChar(bitPattern: $0) }
            try #require(link(folder.path + "/red.png", linked) == 0)
            let folderName = root + [0x64, 0xE9]
            try #require(mkdir((folderName + [0]).map { CChar(bitPattern: $0) }, 0o755) == 0)
            let inside = (folderName + Array("/x.png".utf8) + [0]).map { CChar(bitPattern: $0) }
            try #require(link(folder.path + "/red.png", inside) == 0)
            defer {
                // Foundation cannot remove such names.
                unlink(linked)
                unlink(inside)
                rmdir((folderName + [0]).map { CChar(bitPattern: $0) })
            }
            try await body(folder)
        }
    }

    private func run(_ command: String, input: Data = Data(), in folder: URL) async throws -> Command.Result {
        // The shell passes the bytes on as they are.
        try await Command.run(
            ["-c", command, Command.executable.path],
            input: input,
            in: folder,
            executable: URL(filePath: "/bin/sh")
        )
    }

    @Test func picturesOfSuchNamesAreFoundInFolders() async throws {
        try await withOddNames { folder in
            let result = try await Command.run(
                ["label", ".", "--model", Command.classifier, "--format", "jsonl"],
                in: folder
            )
            #expect(result.status == 0 && result.errors == "")
            #expect(
                Set(try result.records().compactMap { $0["image"] as? String })
                    == ["./red.png", #"./c\xE9.png"#, #"./d\xE9/x.png"#]
            )
        }
    }

    @Test(arguments: [#"label "$(printf 'c\351.png')""#, "label 'c*.png'", #"label "$(printf 'd\351')""#])
    func picturesOfSuchNamesCanBeNamed(arguments: String) async throws {
        try await withOddNames { folder in
            let result = try await run("\"$0\" \(arguments) --model '\(Command.classifier)' --format jsonl", in: folder)
            #expect(result.status == 0 && result.errors == "")
            #expect(try result.records().first?["image"].map { "\($0)".contains(#"\xE9"#) } == true)
        }
    }

    @Test func picturesOfSuchNamesCanBeListedOnStandardInput() async throws {
        try await withOddNames { folder in
            let result = try await Command.run(
                ["label", "--stdin", "--model", Command.classifier],
                input: Data([0x63, 0xE9, 0x2E, 0x70, 0x6E, 0x67, 0x0A]),
                in: folder
            )
            #expect(result.status == 0)
            #expect(try result.records().first?["image"] as? String == #"c\xE9.png"#)
        }
    }

    @Test func anAnnotatedPictureHasThePrintedName() async throws {
        try await withOddNames { folder in
            let result = try await Command.run(
                ["label", ".", "--model", Command.classifier, "--annotate", "out"],
                in: folder
            )
            #expect(result.status == 0)
            #expect(FileManager.default.fileExists(atPath: folder.path + #"/out/c\xE9.png"#))
        }
    }

    @Test(arguments: [#"--model "$(printf 'm\351')""#, #""--model=$(printf 'm\351')""#])
    func anotherArgumentOfSuchANameIsRefused(arguments: String) async throws {
        try await withOddNames { folder in
            let result = try await run("\"$0\" label red.png \(arguments)", in: folder)
            #expect(result.status == 64)
            #expect(result.errors.contains(#"m\xE9 is not UTF-8"#))
        }
    }
}
