import Foundation
import SightlineEvaluation
import SightlineTestSupport
import Testing

/// Folders of labeled pictures.
@Suite(.hangLimit)
struct LabeledFolderTests {
    private let picture = Data("not looked at".utf8)

    @Test func aFolderIsALabelAndHiddenFilesAreNone() throws {
        try withTemporaryFolder { folder in
            try Pictures.write(
                [
                    "b/1": picture, "a/deep/2": picture, "a/1": picture, "a/.x": picture, ".git/1": picture,
                    "x": picture,
                ],
                in: folder
            )
            let found = try LabeledPictures(contentsOf: folder)
            #expect(found.folders == ["a", "b"])
            #expect(found.pictures.map(\.path) == ["a/1", "a/deep/2", "b/1"])
            #expect(found.skipped.pictures.map(\.path) == ["x"])
            #expect(try found.files.data(at: "a/1") == picture)
        }
    }

    @Test func linksToFoldersAreNotFollowed() throws {
        try withTemporaryFolder { folder in
            try Pictures.write(["a/1": picture], in: folder)
            for link in ["loop", "a/up"] {
                try FileManager.default.createSymbolicLink(
                    at: folder.appending(path: link),
                    withDestinationURL: folder
                )
            }
            let found = try LabeledPictures(contentsOf: folder)
            #expect(found.pictures.map(\.path) == ["a/1"])
            #expect(found.skipped.count == 2)
        }
    }

    #if os(Linux)
        // Other systems refuse such names.
        @Test func namesThatAreNotUTF8AreToldAsSuch() throws {
            try withTemporaryFolder { folder in
                try Pictures.write(["a/1": picture], in: folder)
                let odd = (Array("\(folder.path)/a/".utf8) + [0x64, 0xE9, 0]).map { CChar(bitPattern: $0) }
                try #require(symlink("1", odd) == 0)
                // Foundation cannot remove it.
                defer { unlink(odd) }
                let found = try LabeledPictures(contentsOf: folder)
                #expect(found.pictures.map(\.path) == ["a/1"])
                #expect(found.skipped.pictures.map(\.reason) == ["Its name is not UTF-8; rename it."])
            }
        }
    #endif

    @Test(arguments: ["../a/1", "a/../../1", "", "/a/1", "a//1"])
    func nothingIsReadOutsideTheFolder(path: String) throws {
        try withTemporaryFolder { folder in
            try Pictures.write(["in/a/1": picture, "a/1": picture, "1": picture], in: folder)
            let found = try LabeledPictures(contentsOf: folder.appending(path: "in"))
            #expect(throws: EvaluationError.self) { try found.files.data(at: path) }
        }
    }

    @Test func aFolderWithoutLabelFoldersIsAnError() throws {
        try withTemporaryFolder { folder -> Void in
            let error = EvaluationError.noPictures(path: folder.path)
            #expect(throws: error) { try LabeledPictures(contentsOf: folder) }
        }
    }

    @Test func tooManyFoldersAreAnError() throws {
        try withTemporaryFolder { folder in
            try Pictures.write(["a/1": picture, "b/1": picture], in: folder)
            var limits = LabeledPictures.Limits()
            limits.maximumFolders = 1
            #expect(throws: EvaluationError.tooManyFolders(path: folder.path, maximum: 1)) {
                try LabeledPictures(contentsOf: folder, limits: limits)
            }
        }
    }
}
