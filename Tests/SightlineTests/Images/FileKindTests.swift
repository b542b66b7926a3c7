import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// The kinds of files in a folder.
@Suite(.hangLimit)
struct FileKindTests {
    private func kind(_ bytes: [UInt8], _ name: String = "a") -> FileKind { FileKind(head: Data(bytes), name: name) }

    @Test func allReadablePicturesAreKnownByTheirBytes() throws {
        let folder = TestData.fixture("images")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix(".md") {
            let head = try Data(contentsOf: folder.appending(path: name)).prefix(4096)
            #expect(FileKind(head: head, name: "picture") == .picture, "\(name)")
        }
    }

    @Test func allVideosAreKnownByTheirBytes() throws {
        let folder = TestData.fixture("videos")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        for name in names
        where ["mp4", "mov", "mkv", "webm", "avi", "ts"].contains(where: { name.hasSuffix(".\($0)") }) {
            #expect(FileKind(of: folder.appending(path: name)) == .video, "\(name)")
            let head = try Data(contentsOf: folder.appending(path: name)).prefix(4096)
            #expect(FileKind(head: head, name: "a.bin") == .video, "\(name)")
        }
    }

    @Test(
        arguments: [
            ([0x00, 0x00, 0x01, 0xBA, 0x44], "MPEG-PS"), ([0x00, 0x00, 0x01, 0xB3, 0x16], "MPEG-2"),
            ([0, 0, 0, 1, 0x67, 0x64], "H.264"), ([0, 0, 1, 0x09, 0xF0], "H.264"),
            ([0, 0, 0, 1, 0x40, 1, 0x0C], "HEVC"),
            (Array("DHAV".utf8), "dav"), (Array("YUV4MPEG2 W4 H4".utf8), "y4m"), (Array("FLV\u{1}\u{5}".utf8), "flv"),
            ([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], "asf"), (Array("RIFF\0\0\0\0AVI LIST".utf8), "avi"),
            ([0x06, 0x0E, 0x2B, 0x34, 0x02, 0x05, 0x01, 0x01, 0x0D, 0x01, 0x02], "mxf"),
            ([0, 0, 0, 8] + Array("mdat".utf8), "mov"),
            (Array("OggS".utf8) + [UInt8](repeating: 0, count: 24) + [0x80] + Array("theora".utf8), "ogv"),
        ] as [([UInt8], String)]
    )
    func aVideoNeedsNoName(bytes: [UInt8], format: String) {
        #expect(kind(bytes) == .video && kind(bytes, "a.dat") == .video, "\(format)")
    }

    @Test(arguments: [188, 192, 204], [0, 5]) func packetsOfATransportStreamAreAVideo(length: Int, start: Int) {
        var bytes = [UInt8](repeating: 0xFF, count: 4096)
        for place in stride(from: start, to: bytes.count, by: length) { bytes[place] = 0x47 }
        #expect(kind(bytes) == .video)
    }

    @Test func textIsNotAVideo() {
        #expect(kind([UInt8](repeating: 0x47, count: 4096), "genome") == .other)
        #expect(kind(Array("export const größe = 1\n".utf8), "a.ts") == .other)
        #expect(kind(Array("// a module\n".utf8), "a.mts") == .other)
    }

    @Test(arguments: [
        ("OggS\0\u{1}vorbis", "a.ogg"), ("\0\0\0\u{18}ftypM4A ", "a.m4a"), ("RIFF\0\0\0\0WAVE", "a.wav"),
        ("%PDF-1.7", "a.pdf"),
        ("PK\u{3}\u{4}", "a.zip"), ("<svg/>", "a.svg"), ("{\"a\": 1}", "a.json"), ("", "a.txt"), ("\u{1}\u{2}", "a"),
    ])
    func otherFilesAreNeither(text: String, name: String) {
        #expect(kind(Array(text.utf8), name) == .other)
    }

    @Test func theNameDecidesWhereBytesCannot() {
        // A picture without bytes, or with other bytes, shall fail with its reason.
        #expect(kind([], "a.jpg") == .picture && kind(Array("404 not found".utf8), "a.PNG") == .picture)
        #expect(kind([], "a.dng") == .otherPicture && kind([1, 2, 3], "a.TGA") == .otherPicture)
        #expect(kind([], "a.mp4") == .video && kind([1, 2, 3], "a.ts") == .video)
        // The raw files of cameras are TIFF files, and frames of a camera JPEG files.
        #expect(kind(Array("II*\0".utf8), "a.tif") == .picture && kind(Array("II*\0".utf8), "a.NEF") == .otherPicture)
        #expect(kind([0xFF, 0xD8, 0xFF], "a.mjpeg") == .video && kind([0xFF, 0xD8, 0xFF], "a.mpo") == .picture)
    }

    @Test(arguments: ["II+\0", "8BPS", "\0\0\u{1}\0\u{1}\0", "\0\0\0\u{C}jP  ", "P6\n3 4\n255\n", "gimp xcf v011"])
    func picturesInOtherFormatsAreSuch(text: String) {
        #expect(kind(Array(text.utf8)) == .otherPicture)
    }
}
