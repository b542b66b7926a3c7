import Foundation
import SightlineEvaluation
import SightlineTestSupport
import Testing

/// Zip archives of labeled pictures, friendly ones and others.
@Suite(.hangLimit)
struct PictureArchiveTests {
    private func listing(
        _ archive: Data,
        limits: LabeledPictures.Limits = .standard
    ) throws -> (folders: [String], paths: [String], skipped: [String]) {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "a.zip")
            try archive.write(to: file)
            let pictures = try LabeledPictures(contentsOf: file, limits: limits)
            for picture in pictures.pictures { _ = try? pictures.files.data(at: picture.path) }
            return (pictures.folders, pictures.pictures.map(\.path), pictures.skipped.pictures.map(\.path))
        }
    }

    private func error(_ archive: Data, limits: LabeledPictures.Limits = .standard) -> EvaluationError? {
        do {
            _ = try listing(archive, limits: limits)
            return nil
        } catch {
            return error as? EvaluationError
        }
    }

    private let picture = Data("not looked at".utf8)

    @Test func theFirstFolderIsTheLabelAndHiddenFilesAreNone() throws {
        let found = try listing(
            Pictures.zip([
                "daisy/1.jpg": picture, "daisy/deep/er/2.jpg": picture, "tulip/1.jpg": picture, "lonely.jpg": picture,
                "daisy/.hidden.jpg": picture, "__MACOSX/daisy/1.jpg": picture, "tulip/Thumbs.db": picture,
            ])
        )
        #expect(found.folders == ["daisy", "tulip"])
        #expect(found.paths == ["daisy/1.jpg", "daisy/deep/er/2.jpg", "tulip/1.jpg"])
        #expect(found.skipped == ["lonely.jpg"])
    }

    @Test func oneFolderAroundAllOfItIsPassedOver() throws {
        let found = try listing(Pictures.zip(["flowers/daisy/1.jpg": picture, "flowers/tulip/1.jpg": picture]))
        #expect(found.folders == ["daisy", "tulip"])
        #expect(found.paths == ["flowers/daisy/1.jpg", "flowers/tulip/1.jpg"])
    }

    @Test func backslashesSeparateToo() throws {
        #expect(try listing(Pictures.zip([#"daisy\1.jpg"#: picture])).folders == ["daisy"])
        #expect(error(Pictures.zip([#"daisy\..\..\1.jpg"#: picture])) != nil)
    }

    @Test func zip64IsRead() throws {
        try withTemporaryFolder { folder in
            var builder = ZipBuilder(isZip64: true)
            builder.add("daisy/1.jpg", picture)
            builder.add("tulip/2.jpg", Data("other".utf8))
            let file = folder.appending(path: "a.zip")
            try builder.data.write(to: file)
            let pictures = try LabeledPictures(contentsOf: file)
            #expect(try pictures.files.data(at: "daisy/1.jpg") == picture)
            #expect(try pictures.files.data(at: "tulip/2.jpg") == Data("other".utf8))
        }
    }

    @Test func anArchiveBehindOtherBytesIsRead() throws {
        #expect(
            try listing(Data(repeating: 7, count: 1000) + Pictures.zip(["daisy/1.jpg": picture])).folders == ["daisy"]
        )
    }

    @Test(arguments: ["../a/1.jpg", "/etc/passwd", "a/../../1.jpg", "a//1.jpg", "a/./1.jpg", "a/b\0c.jpg", ""])
    func aPathThatLeadsOutOrNowhereIsRefused(name: String) {
        guard case .unsafeArchive(_, _, let reason) = error(Pictures.zip([name: picture])) else {
            Issue.record("\(name) was not refused")
            return
        }
        #expect(reason.contains("path"))
    }

    @Test func linksEncryptedAndDoubledFilesAreRefused() {
        let cases: [([ZipBuilder.File], String)] = [
            ([.init(name: "a/1", content: picture, mode: 0xA1FF)], "link"),
            ([.init(name: "a/1", content: picture, flags: 1)], "encrypted"),
            ([.init(name: "a/1", content: picture), .init(name: "a/1", content: picture)], "twice"),
            ([.init(name: "a/1", content: picture), .init(name: "a/2", content: picture, sharedHeader: 0)], "shares"),
        ]
        for (files, word) in cases {
            guard case .unsafeArchive(_, _, let reason) = error(ZipBuilder(files: files).data) else {
                Issue.record("\(word) was not refused")
                continue
            }
            #expect(reason.contains(word))
        }
    }

    @Test func bombsAreRefusedBeforeAnythingIsUnpacked() {
        let claim = ZipBuilder.File(name: "a/1", content: picture, method: 8, statedCount: 60 << 20)
        #expect(error(ZipBuilder(files: [claim]).data).map { "\($0)".contains("200 times") } == true)
        var limits = LabeledPictures.Limits()
        limits.maximumTotalBytes = 20
        #expect(
            error(Pictures.zip(["a/1": picture, "a/2": picture]), limits: limits).map { "\($0)".contains("20 bytes") }
                == true
        )
        limits = .standard
        limits.maximumPictures = 1
        #expect(
            error(Pictures.zip(["a/1": picture, "a/2": picture]), limits: limits).map {
                "\($0)".contains("more than 1 ")
            } == true
        )
    }

    @Test func anEntryThatClaimsMoreBytesThanThereAreIsRefused() {
        var file = ZipBuilder.File(name: "a/1", content: picture)
        file.statedCount = 1 << 40
        for isZip64 in [false, true] {
            #expect(error(ZipBuilder(files: [file], isZip64: isZip64).data) != nil)
        }
    }

    @Test func anArchiveCutShortAnywhereIsAnErrorAndNeverMore() throws {
        for isZip64 in [false, true] {
            var builder = ZipBuilder(isZip64: isZip64)
            builder.add("daisy/1.jpg", picture)
            let whole = builder.data
            for count in 0..<whole.count {
                #expect(error(whole.prefix(count)) != nil, "\(count) of \(whole.count) bytes")
            }
        }
    }

    @Test func anArchiveWithAnyByteChangedIsReadOrRefused() throws {
        var random = RepeatableRandom(seed: 1)
        for isZip64 in [false, true] {
            var builder = ZipBuilder(isZip64: isZip64)
            builder.add("daisy/1.jpg", picture)
            builder.add("tulip/1.jpg", picture)
            let whole = builder.data
            for place in whole.indices {
                var changed = whole
                changed[place] = UInt8.random(in: 0...255, using: &random)
                do {
                    _ = try listing(changed)
                } catch {
                    #expect(error is EvaluationError)
                }
            }
        }
    }

    @Test func aFileThatIsNotWhatTheArchiveSaysIsSkippedAlone() throws {
        try withTemporaryFolder { folder in
            var builder = ZipBuilder()
            builder.files = [
                .init(name: "a/checksum", content: picture, checksum: 1),
                .init(name: "a/method", content: picture, method: 9),
                .init(name: "a/deflated", content: picture, method: 8), .init(name: "a/good", content: picture),
            ]
            let file = folder.appending(path: "a.zip")
            try builder.data.write(to: file)
            let pictures = try LabeledPictures(contentsOf: file)
            for name in ["checksum", "method", "deflated"] {
                #expect(throws: EvaluationError.self) { try pictures.files.data(at: "a/\(name)") }
            }
            #expect(try pictures.files.data(at: "a/good") == picture)
        }
    }

    @Test func whatIsNoArchiveIsAnError() throws {
        #expect(error(Data("no archive at all, but long enough to be one".utf8)) != nil)
        #expect(error(Data()) != nil)
        #expect(error(ZipBuilder().data) != nil)
        #expect(throws: EvaluationError.self) { try LabeledPictures(contentsOf: URL(filePath: "/dev/null")) }
        #expect(throws: EvaluationError.self) { try LabeledPictures(contentsOf: URL(filePath: "/no/such")) }
    }
}
