import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Writing pictures as files.
struct PictureWriterTests {
    @Test func writesAPNGThatReadsBackAsItWas() throws {
        let image = try plainImage(width: 64, height: 40)
        let object = DetectedObject(frame: PixelRect(x: 10, y: 20, width: 30, height: 15), confidence: 0.5, labels: [])
        let picture = try Annotator().annotate(image, with: [object])
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "picture.png")
            try PictureWriter.write(picture, to: file)
            let back = try VisionImage(contentsOf: file).upright()
            #expect(back.size == picture.size)
            #expect(back.planes.first?.data == picture.planes.first?.data)
        }
    }

    @Test(arguments: ["picture.jpg", "picture.JPEG"]) func writesAJPEGOfTheSameSizeAndNearlyTheSameColours(name: String)
        throws
    {
        let picture = try plainPicture(width: 33, height: 17)
        try withTemporaryFolder { folder in
            let file = folder.appending(path: name)
            try PictureWriter.write(picture, to: file)
            let back = try VisionImage(contentsOf: file).upright()
            #expect(back.size == picture.size)
            let pixel = try back.pixel(16, 8)
            #expect(abs(Int(pixel.red) - Int(background.red)) <= 2)
            #expect(abs(Int(pixel.blue) - Int(background.blue)) <= 2)
        }
    }

    @Test(arguments: ["picture.gif", "picture", "picture.png.txt", ""])
    func refusesAnExtensionItDoesNotWriteAndSaysWhichItDoes(name: String) throws {
        let picture = try plainPicture(width: 2, height: 2)
        try withTemporaryFolder { folder in
            let file = folder.appending(path: name)
            let error = #expect(throws: MediaError.self) { try PictureWriter.write(picture, to: file) }
            #expect(error?.description.contains(".png, .jpg or .jpeg") == true)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(left.isEmpty)
        }
    }

    @Test func saysThatTheFolderIsMissing() throws {
        let picture = try plainPicture(width: 2, height: 2)
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "missing/picture.png")
            let error = #expect(throws: MediaError.self) { try PictureWriter.write(picture, to: file) }
            #expect(error == .unwritable(path: file.path, reason: "the folder is missing"))
        }
    }

    @Test func leavesAFolderOfTheFilesNameAloneAndNothingBesideIt() throws {
        let picture = try plainPicture(width: 2, height: 2)
        try withTemporaryFolder { folder in
            let taken = folder.appending(path: "taken.png")
            try FileManager.default.createDirectory(at: taken, withIntermediateDirectories: false)
            let error = #expect(throws: MediaError.self) { try PictureWriter.write(picture, to: taken) }
            #expect(error == .unwritable(path: taken.path, reason: "it is a folder"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["taken.png"])
        }
    }

    @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
    func saysThatAFolderIsNotWritable() throws {
        let picture = try plainPicture(width: 2, height: 2)
        try withTemporaryFolder { folder in
            let locked = folder.appending(path: "locked")
            try FileManager.default.createDirectory(
                at: locked,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o555]
            )
            let error = #expect(throws: MediaError.self) {
                try PictureWriter.write(picture, to: locked.appending(path: "picture.png"))
            }
            #expect(error?.description.contains("not writable") == true)
        }
    }

    @Test func replacesAFileThatIsThere() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "picture.png")
            try Data("old".utf8).write(to: file)
            try PictureWriter.write(plainPicture(width: 5, height: 4), to: file)
            #expect(try VisionImage(contentsOf: file).size == PixelSize(width: 5, height: 4))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["picture.png"])
        }
    }

    @Test func refusesAJPEGThatIsTooWideForTheFormat() throws {
        let picture = try plainPicture(width: 70_000, height: 1)
        let error = #expect(throws: MediaError.self) { try PictureFormat.jpeg.encode(picture) }
        guard case .encodingFailed(format: "jpeg", _) = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(try VisionImage(data: PictureFormat.png.encode(picture)).size == picture.size)
    }

    @Test func refusesPixelsThatAreNotRGB() throws {
        let grey = try PixelBuffer(
            format: .grey,
            width: 2,
            height: 2,
            planes: [.init(data: Data(count: 4), bytesPerRow: 2)]
        )
        #expect(throws: MediaError.self) { try PictureFormat.png.encode(grey) }
    }
}
