import Foundation
import SightlineTestSupport
import Testing

@testable import SightlineCLI

/// Which pictures the arguments stand for.
@Suite(.hangLimit)
struct InputSequenceTests {
    private func names(_ arguments: [String], in folder: URL) -> [String] {
        let root = folder.path + "/"
        return InputSequence(arguments: arguments.map { $0 == "-" ? $0 : root + $0 })
            .map { $0.name.hasPrefix(root) ? String($0.name.dropFirst(root.count)) : $0.name }
    }

    private func withFiles(_ files: [String], _ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try Pictures.write(Dictionary(uniqueKeysWithValues: files.map { ($0, Data()) }), in: folder)
            try body(folder)
        }
    }

    @Test func takesNamedFilesInTheirOrderWhateverTheirExtension() throws {
        try withFiles(["b.jpg", "a.dat"]) { folder in
            #expect(names(["b.jpg", "a.dat", "missing.jpg"], in: folder) == ["b.jpg", "a.dat", "missing.jpg"])
        }
    }

    @Test func takesThePicturesOfAFolderAndItsSubfoldersInOrderOfTheirNames() throws {
        try withFiles([
            "p/c.JPG", "p/a.png", "p/b/2.webp", "p/b/1.jpeg", "p/notes.txt", "p/.hidden.jpg", "p/.git/x.jpg",
        ]) {
            #expect(names(["p"], in: $0) == ["p/a.png", "p/b/1.jpeg", "p/b/2.webp", "p/c.JPG"])
            #expect(names(["p/"], in: $0) == ["p/a.png", "p/b/1.jpeg", "p/b/2.webp", "p/c.JPG"])
        }
    }

    @Test func aFolderWithTheNameOfAPictureIsAFolder() throws {
        try withFiles(["p/album.heic/1.jpg", "p/empty.png/notes.txt", "p/z.jpg"]) {
            #expect(names(["p"], in: $0) == ["p/album.heic/1.jpg", "p/z.jpg"])
            #expect(names(["p/album.heic"], in: $0) == ["p/album.heic/1.jpg"])
        }
    }

    @Test func remembersWhereInTheFolderAPictureLies() throws {
        try withFiles(["p/b/1.jpeg"]) { folder in
            let inputs = Array(InputSequence(arguments: [folder.path + "/p", folder.path + "/p/b/1.jpeg"]))
            #expect(inputs.map(\.nameInFolder) == ["b/1.jpeg", nil])
        }
    }

    @Test func expandsPatternsInOrder() throws {
        try withFiles(["2.jpg", "1.jpg", "1.png"]) { folder in
            #expect(names(["*.jpg"], in: folder) == ["1.jpg", "2.jpg"])
            #expect(names(["[12].?pg"], in: folder) == ["1.jpg", "2.jpg"])
        }
    }

    @Test func takesAPatternThatIsAFilesNameAsThatFile() throws {
        try withFiles(["holiday [1].jpg", "holiday 1.jpg"]) { folder in
            #expect(names(["holiday [1].jpg"], in: folder) == ["holiday [1].jpg"])
        }
    }

    @Test func saysThatAPatternMatchesNothing() throws {
        try withFiles([]) { folder in
            let inputs = Array(InputSequence(arguments: [folder.path + "/*.jpg"]))
            #expect(
                inputs.map(\.content) == [.failure("no file matches the pattern; check the folder and the pattern.")]
            )
        }
    }

    @Test func saysThatAFolderHasNoPicturesAndGoesOn() throws {
        try withFiles(["empty/notes.txt", "a.jpg"]) { folder in
            let inputs = Array(InputSequence(arguments: [folder.path + "/empty", folder.path + "/a.jpg"]))
            try #require(inputs.count == 2)
            guard case .failure(let reason) = inputs[0].content else {
                Issue.record("expected a failure, found \(inputs[0])")
                return
            }
            #expect(reason.contains("no pictures"))
            #expect(inputs[1].name == folder.path + "/a.jpg")
        }
    }

    @Test func doesNotFollowLinksToFoldersRoundInCircles() throws {
        try withFiles(["p/a.jpg"]) { folder in
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "p/again"),
                withDestinationURL: folder.appending(path: "p")
            )
            #expect(names(["p"], in: folder) == ["p/a.jpg"])
        }
    }

    @Test func passesOverTheFolderOfResults() throws {
        try withFiles(["p/a.jpg", "p/out/a.jpg"]) { folder in
            let inputs = InputSequence(arguments: [folder.path + "/p"], excludedFolders: [folder.path + "/p/../p/out/"])
            #expect(inputs.map(\.nameInFolder) == ["a.jpg"])
        }
    }

    @Test func countsTheKnownInputsWhileFoldersAreListed() throws {
        try withFiles(["p/a.jpg", "p/b.jpg", "p/c/d.jpg", "e.jpg"]) { folder in
            var inputs = InputSequence(arguments: [folder.path + "/p", folder.path + "/e.jpg"])
            #expect(inputs.knownCount == 1 && !inputs.isKnownCountFinal)
            _ = inputs.next()
            #expect(inputs.knownCount == 3 && !inputs.isKnownCountFinal)
            while inputs.next() != nil {}
            #expect(inputs.knownCount == 4 && inputs.isKnownCountFinal)
        }
    }

    @Test func takesADashForStandardInput() {
        #expect(Array(InputSequence(arguments: ["-"])) == [.standardInput])
    }
}
