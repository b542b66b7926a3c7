import Foundation
import SightlineTestSupport
import Testing

@testable import SightlineCLI

/// Frames as they come from a pipe.
@Suite(.hangLimit)
struct FrameReaderTests {
    /// The frames in bytes that come through a pipe: `name: bytes`, or `name!` for a failure.
    private func frames(_ text: String, maximumBytes: Int = 100) throws -> [String] {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try pipe.fileHandleForWriting.close()
        var reader = FrameReader(pipe.fileHandleForReading.fileDescriptor, maximumBytes: maximumBytes)
        var frames: [String] = []
        while let input = try reader.next() {
            switch input.content {
            case .bytes(let data): frames.append("\(input.name): \(String(decoding: data, as: UTF8.self))")
            case .address(let address): frames.append("\(input.name) at \(address)")
            default: frames.append("\(input.name)!")
            }
        }
        return frames
    }

    @Test func aFrameHasASizeANameAndBytes() throws {
        #expect(try frames("") == [])
        #expect(try frames("3 a b\nx\ny0 empty\n002 c\n\n\n") == ["a b: x\ny", "empty: ", "c: \n\n"])
    }

    @Test func aFrameMayHaveAnAddressInsteadOfBytes() throws {
        #expect(try frames("@http://a/b c d\n1 e\nx@HTTPS://f \n") == ["c d at http://a/b", "e: x", " at HTTPS://f"])
    }

    @Test(arguments: ["@file:///etc/hostname a\n", "@/a.png a\n", "@ a\n", "@http://a\n"])
    func otherPlacesAreNoFrames(text: String) {
        #expect(throws: FrameError.self) { try frames(text) }
    }

    @Test func aPictureThatIsTooLargeIsSkipped() throws {
        let large = String(repeating: "1 x\n", count: 5000)
        #expect(
            try frames("4 a\n1234\(large.utf8.count) large\n\(large)5 b\n123451 c\nx", maximumBytes: 4) == [
                "a: 1234", "large!", "b!", "c: x",
            ]
        )
    }

    @Test func aPictureMayBeLargerThanTheBuffer() throws {
        let large = String(repeating: "y", count: 40_000)
        #expect(try frames("40000 a\n\(large)1 b\nx", maximumBytes: 40_000) == ["a: \(large)", "b: x"])
    }

    @Test func anErrorNamesTheFrameAndItsFirstByte() {
        func error(_ text: String) -> FrameError? {
            #expect(throws: FrameError.self) { try frames(text) }
        }
        #expect(error("x") == .noHeader(frame: 1, byte: 0, found: Array("x".utf8)))
        #expect(error("1 a\nx1") == .cutHeader(frame: 2, byte: 5))
        #expect(error("1 a\nx1 b\ny7 c\nxyz") == .cutPicture(frame: 3, byte: 10, found: 3, size: 7))
        #expect(error("101 large\n123") == .cutPicture(frame: 1, byte: 0, found: 3, size: 101))
    }

    @Test func bytesWithoutALineFeedAreSoonRecognizedAsNoHeader() {
        let pipe = Pipe()
        // The pipe stays open: the error does not wait for the end.
        defer { try? pipe.fileHandleForWriting.close() }
        pipe.fileHandleForWriting.write(Data(repeating: 0xFF, count: 100))
        var reader = FrameReader(pipe.fileHandleForReading.fileDescriptor, maximumBytes: 100)
        #expect(throws: FrameError.self) { try reader.next() }
    }
}
