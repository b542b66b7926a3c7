import Foundation
import Sightline
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct BadImageTests {
    private func bytes(_ name: String) throws -> Data { try Data(contentsOf: TestData.fixture("images/\(name)")) }

    @Test func aMissingFileIsNamed() {
        let url = URL(filePath: "/nowhere/photo.jpg")
        #expect(throws: ImageError.unreadable(path: "/nowhere/photo.jpg", reason: "there is no such file")) {
            try VisionImage(contentsOf: url)
        }
    }

    @Test func aFolderIsNoPicture() {
        #expect {
            try VisionImage(contentsOf: TestData.fixture("images"))
        } throws: { error in
            "\(error)".contains("it is a folder")
        }
    }

    @Test func aDeviceIsNotRead() {
        #expect {
            try VisionImage(contentsOf: URL(filePath: "/dev/zero"))
        } throws: { error in
            "\(error)".contains("it is not a regular file")
        }
    }

    @Test func anotherSchemeIsNotRead() throws {
        let url = try #require(URL(string: "https://example.com/photo.jpg"))
        #expect { try VisionImage(contentsOf: url) } throws: { "\($0)".contains("it is not a file URL") }
    }

    @Test(.enabled(if: getuid() != 0, "the superuser may read everything"))
    func aFileWithoutPermissionIsNamed() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data([1]).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: url.path())
        #expect { try VisionImage(contentsOf: url) } throws: { "\($0)".contains("permission is denied") }
    }

    @Test func noBytesAreNoPicture() throws {
        #expect(throws: ImageError.empty) { try VisionImage(data: Data()) }
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data().write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        #expect(throws: ImageError.empty) { try VisionImage(contentsOf: url) }
    }

    @Test(arguments: [
        ("8BPS....", "a Photoshop file"), ("\0\0\0\u{C}JXL ....", "a JPEG XL"), ("qoif....", "a QOI picture"),
        ("\0\0\0\u{18}ftypisom....", "an MP4 or QuickTime video"), ("%PDF-1.7", "a PDF"),
        ("\n <!DOCTYPE html><p>", "an HTML page"), ("<?xml version='1.0'?><svg>", "an SVG drawing"),
        ("\u{1C}\0\0\0TFL3", "a TensorFlow Lite model"), ("{\"a\": 1}", "JSON text"), ("404 not found", "plain text"),
        ("RIFF....AVI ", "an AVI video"), ("RIFF....WAVE", "a WAV or other RIFF file"),
        ("PK\u{3}\u{4}", "a zip archive"),
        ("II+\0\u{8}", "a BigTIFF"), ("P5\n3 4", "a PNM picture"), ("Gelb, grün, blau", "plain text"),
        ("Rar!\u{1A}\u{7}", "a RAR archive"),
        ("\u{1}\u{2}\u{3}", "a file of an unknown kind that starts with the bytes 01 02 03"),
    ])
    func otherFilesAreNamedByWhatTheyLookLike(text: String, name: String) {
        #expect(throws: ImageError.unsupportedFormat(found: name)) { try VisionImage(data: Data(text.utf8)) }
    }

    @Test(arguments: [
        ("II+\0\u{8}", "convert it to JPEG or PNG"), ("PK\u{3}\u{4}", "unpack it and name the folder"),
        ("FLV\u{1}", "use `sightline track`"), ("%PDF-1.7", "choose another file"),
    ])
    func theAdviceFitsTheKindOfFile(text: String, advice: String) {
        #expect { try VisionImage(data: Data(text.utf8)) } throws: { "\($0)".contains(advice) }
    }

    #if !canImport(ImageIO)
        @Test func xcodesFormOfAPNGIsNamed() throws {
            var file = try bytes("png-rgba.png").prefix(8)
            file += [0, 0, 0, 4] + Data("CgBI".utf8) + [0x50, 0, 0x20, 2, 0x2B, 0xD5, 0xB3, 0x7F]
            file += try bytes("png-rgba.png").dropFirst(8)
            #expect { try VisionImage(data: file) } throws: {
                "\($0)".contains("a PNG of a rare kind (Xcode's form for iPhones): convert it")
            }
        }
    #endif

    @Test(arguments: [
        "large-420.jpg", "large-progressive.jpg", "large-restart.jpg", "large-gray.jpg", "jpeg-ycck.jpg", "large.png",
        "png-interlaced.png", "png-rgba.png", "large.webp", "webp-lossless.webp", "webp-alpha.webp",
        "webp-animated.webp",
    ])
    func aPictureThatIsCutShortIsAnError(name: String) throws {
        let whole = try bytes(name)
        for share in [0.02, 0.1, 0.4, 0.7, 0.9] {
            let cut = whole.prefix(Int(Double(whole.count) * share))
            #expect("\(name) cut at \(share)") {
                _ = try VisionImage(data: cut).upright()
            } throws: { error in
                guard case ImageError.corrupted = error else { return false }
                return true
            }
        }
    }

    @Test func aJPEGWithoutItsEndMarkerIsWhole() throws {
        let whole = try bytes("large-420.jpg")
        #expect(try Picture(VisionImage(data: whole.dropLast(2))) == Picture(fixture: "large-420.jpg"))
    }

    @Test func damageInTheMiddleOfAJPEGIsAnError() throws {
        var damaged = try bytes("large-420.jpg")
        for offset in 2000..<2100 { damaged[offset] = 0xFE }
        damaged[2050] = 0xFF
        damaged[2051] = 0xD9
        let image = try VisionImage(data: damaged)
        #expect(throws: ImageError.self) { try image.upright() }
    }

    @Test func aWrongChecksumIsAnError() throws {
        var damaged = try bytes("large.png")
        damaged[1000] ^= 1
        let image = try VisionImage(data: damaged)
        #expect(throws: ImageError.self) { try image.upright() }
    }

    /// A PNG with a further chunk behind its header.
    private func picture(withChunk name: String, length: UInt32, _ content: Data) throws -> Data {
        let picture = try bytes("large.png"), header = 33
        func number(_ value: UInt32) -> Data { withUnsafeBytes(of: value.bigEndian) { Data($0) } }
        let chunk = Data(name.utf8) + content
        let whole = number(length) + chunk + number(ZipBuilder.crc32(chunk))
        return picture.prefix(header) + whole + picture.dropFirst(header)
    }

    private static let chunksBesidePixels = ["eXIf", "iCCP", "tEXt", "zTXt", "iTXt", "sPLT", "gAMA", "sBIT", "abCd"]

    @Test(arguments: chunksBesidePixels) func aChunkThatIsLongerThanItsFileCutsThePictureShort(name: String) throws {
        let picture = try picture(withChunk: name, length: 1_610_612_762, Data("II*\0".utf8))
        #expect { try VisionImage(data: picture) } throws: { "\($0)".contains("it is cut short") }
    }

    @Test(arguments: chunksBesidePixels) func aSenselessChunkBesideThePixelsIsPassedOver(name: String) throws {
        let picture = try picture(withChunk: name, length: 7, Data([255, 0, 1, 2, 255, 0, 3]))
        #expect(try Picture(VisionImage(data: picture).upright()) == Picture(fixture: "large.png"))
    }

    @Test func anEnormousPictureIsRefusedBeforeItIsDecoded() throws {
        let size = PixelSize(width: 60000, height: 60000)
        #expect(throws: ImageError.tooLarge(size, maximumPixels: 200_000_000)) {
            try VisionImage(fixture: "enormous.png")
        }
    }

    @Test func theLimitsAreAdjustable() throws {
        let url = TestData.fixture("images/large-420.jpg")
        _ = try VisionImage(contentsOf: url, limits: ImageLimits(maximumPixels: 203 * 150))
        #expect(throws: ImageError.tooLarge(PixelSize(width: 203, height: 150), maximumPixels: 203 * 150 - 1)) {
            try VisionImage(contentsOf: url, limits: ImageLimits(maximumPixels: 203 * 150 - 1))
        }
        #expect(throws: ImageError.self) { try VisionImage(contentsOf: url, limits: ImageLimits(maximumBytes: 100)) }
    }

    @Test(arguments: ["wide.jpg", "tall.png"]) func anExtremeShapeIsRead(name: String) throws {
        let image = try VisionImage(fixture: name)
        let size = PixelSize(width: 16, height: 16)
        for fit in [ImageFit.stretch, .crop, .letterbox(fill: 0, anchor: .center)] {
            let placement = Placement(PixelRect(image.size), into: size, fit: fit)
            let tensor = try image.decoded(for: [placement]).tensor(placement)
            #expect(Set(tensor).count > 1)
        }
    }

    /// Many scans that add nothing: a small file that would keep a core busy.
    @Test func aProgressiveJPEGWithThousandsOfScansIsAnError() throws {
        let file = try bytes("large-progressive.jpg")
        // The second scan, with the tables before it, once more and again.
        let first = try #require(file.range(of: Data([0xFF, 0xDA])))
        let tables = try #require(file[first.upperBound...].range(of: Data([0xFF, 0xC4])))
        let scan = try #require(file[tables.upperBound...].range(of: Data([0xFF, 0xDA])))
        let end = try #require(file[scan.upperBound...].range(of: Data([0xFF, 0xC4])))
        let segment = file[tables.lowerBound..<end.lowerBound]
        let bomb =
            file[..<end.lowerBound] + Data(repeatElement(segment, count: 2000).joined()) + file[end.lowerBound...]
        let image = try VisionImage(data: Data(bomb))
        #expect(throws: ImageError.corrupted(format: "JPEG", reason: "there are more than 100 scans")) {
            try image.upright()
        }
    }

    @Test func everyErrorIsOneSentenceThatSaysWhatToDo() {
        let errors: [ImageError] = [
            .unreadable(path: "/a", reason: "b"), .empty, .unsupportedFormat(found: "a GIF"),
            .corrupted(format: "PNG", reason: "c"), .tooLarge(PixelSize(width: 1, height: 2), maximumPixels: 1),
            .tooManyBytes(2, maximumBytes: 1), .outOfMemory(bytes: 1), .invalidPixelBuffer(reason: "d"),
            .invalidRegion(PixelRect(x: 0, y: 0, width: 0, height: 0), in: PixelSize(width: 1, height: 1)),
            .unsupportedInput(reason: "e"), .missingLibrary(format: "HEIC", library: "l", package: "p"),
            .unknownExtension(path: "/a", found: "xyz"), .encodingFailed(format: "JPEG", reason: "f"),
            .unwritable(path: "/a", reason: "g"),
        ]
        for error in errors {
            #expect(error.description.hasSuffix(".") && error.description == error.localizedDescription)
        }
    }
}
