import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// Pictures as files.
@Suite(.hangLimit)
struct ImageWritingTests {
    /// A picture of one color.
    private func plain(width: Int, height: Int) throws -> PixelBuffer {
        try VisionImage.plain(PixelSize(width: width, height: height), red: 97, green: 98, blue: 99).upright()
    }

    @Test func aPNGReadsBackAsItWas() throws {
        let scene = try VisionImage(fixture: "scene.png").upright()
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "picture.png")
            try scene.write(to: file)
            #expect(try Picture(VisionImage(contentsOf: file)) == Picture(scene))
        }
    }

    @Test(arguments: ["picture.jpg", "picture.JPEG"])
    func aJPEGHasTheSameSizeAndNearlyTheSameColors(name: String) throws {
        let picture = try plain(width: 33, height: 17)
        try withTemporaryFolder { folder in
            let file = folder.appending(path: name)
            try picture.write(to: file)
            let back = try Picture(VisionImage(contentsOf: file))
            #expect(back.distance(to: Picture(picture)).greatest <= 2)
        }
    }

    @Test(arguments: ["picture.xyz", "picture.webp", "picture", "picture.png.txt", ""])
    func anExtensionThatIsNotWrittenIsAnErrorThatNamesTheOthers(name: String) throws {
        let picture = try plain(width: 2, height: 2)
        try withTemporaryFolder { folder in
            let file = folder.appending(path: name)
            let error = #expect(throws: ImageError.self) { try picture.write(to: file) }
            #expect(error?.description.contains(".jpg or .png") == true)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(left.isEmpty)
        }
    }

    @Test func aMissingFolderIsNamed() throws {
        let picture = try plain(width: 2, height: 2)
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "missing/picture.png")
            let error = #expect(throws: ImageError.self) { try picture.write(to: file) }
            #expect(error == .unwritable(path: file.path, reason: "the folder is missing"))
        }
    }

    @Test func aFolderWithTheFilesNameStaysAndNothingIsLeftBesideIt() throws {
        let picture = try plain(width: 2, height: 2)
        try withTemporaryFolder { folder in
            let taken = folder.appending(path: "taken.png")
            try FileManager.default.createDirectory(at: taken, withIntermediateDirectories: false)
            let error = #expect(throws: ImageError.self) { try picture.write(to: taken) }
            #expect(error == .unwritable(path: taken.path, reason: "it is a folder"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["taken.png"])
        }
    }

    @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
    func aLockedFolderIsAnError() throws {
        let picture = try plain(width: 2, height: 2)
        try withTemporaryFolder { folder in
            let locked = folder.appending(path: "locked")
            try FileManager.default.createDirectory(
                at: locked,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o555]
            )
            let error = #expect(throws: ImageError.self) {
                try picture.write(to: locked.appending(path: "picture.png"))
            }
            #expect(error?.description.contains("not writable") == true)
        }
    }

    @Test func anOlderFileIsReplaced() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "picture.png")
            try Data("old".utf8).write(to: file)
            try plain(width: 5, height: 4).write(to: file)
            #expect(try VisionImage(contentsOf: file).size == PixelSize(width: 5, height: 4))
        }
    }

    @Test func aPictureTooWideForJPEGIsAnErrorAndAPNG() throws {
        let picture = try plain(width: 70_000, height: 1)
        let error = #expect(throws: ImageError.self) { try picture.encoded(as: .jpeg) }
        guard case .encodingFailed(format: "JPEG", _) = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(try VisionImage(data: picture.encoded(as: .png)).size == picture.size)
    }

    @Test func onlyRGBIsEncoded() throws {
        let gray = try PixelBuffer(
            format: .gray,
            width: 2,
            height: 2,
            planes: [.init(data: Data(count: 4), bytesPerRow: 2)]
        )
        #expect(throws: ImageError.self) { try gray.encoded(as: .png) }
    }

    @Test func formatsThatAreOnlyReadAreNotEncoded() throws {
        let webP = try #require(ImageFormat(fileExtension: "webp"))
        #expect(throws: ImageError.encodingFailed(format: "WebP", reason: "this format is only read")) {
            try plain(width: 2, height: 2).encoded(as: webP)
        }
    }
}
