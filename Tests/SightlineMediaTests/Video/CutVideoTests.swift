import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Files whose end is missing, and pictures that move.
@Suite(.hangLimit)
struct CutVideoTests {
    private func earlyEnd(_ url: URL) throws -> String? {
        let video = try VideoReader(contentsOf: url)
        while try video.next() != nil {}
        return video.statistics.earlyEnd
    }

    /// A fragmented MP4 file, as recorders write it.
    private func fragmented(in folder: URL) throws -> Data {
        let url = folder.appending(path: "whole.mp4")
        let writer = try VideoWriter(url: url, like: VideoInfo(size: NumberedFrame.size, frameRate: 10))
        for number in 0..<60 { try writer.append(NumberedFrame.frame(number, at: .milliseconds(100) * number)) }
        try writer.finish()
        #expect(try earlyEnd(url) == nil)
        return try Data(contentsOf: url)
    }

    @Test(arguments: [1, 300]) func aCutFragmentIsTold(missing: Int) throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "cut.mp4")
            try fragmented(in: folder).dropLast(missing).write(to: url)
            #expect(try earlyEnd(url) != nil)
        }
    }

    @Test(arguments: ["h264-aac.mkv", "vp9-opus.webm", "mjpeg-pcm.avi", "mpeg4-mp3.avi"])
    func aFileThatLacksBytesIsTold(file: String) throws {
        try withTemporaryFolder { folder in
            let data = try Data(contentsOf: TestData.video(file))
            let whole = folder.appending(path: "whole-" + file)
            try data.write(to: whole)
            #expect(try earlyEnd(whole) == nil)
            let cut = folder.appending(path: file)
            try data.dropLast(40).write(to: cut)
            #expect(try earlyEnd(cut)?.contains("cut off") == true)
        }
    }

    /// An animated PNG of frames of one color, each shown for a tenth of a second.
    private func animatedPNG(frames: Int) throws -> Data {
        func chunk(_ type: String, _ content: Data) -> Data {
            let body = Data(type.utf8) + content
            return bytes(content.count) + body + bytes(Int(checksum(body)))
        }
        func bytes(_ number: Int) -> Data {
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian) { Data($0) }
        }
        func checksum(_ data: Data) -> UInt32 {
            ~data.reduce(UInt32.max) { crc, byte in
                (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
            }
        }
        var (head, tail, number) = (Data(), Data(), 0)
        for frame in 0..<frames {
            let png = try Pictures.png(red: UInt8(frame * 20), width: 16, height: 16)
            var (offset, pixels) = (8, Data())
            while offset + 12 <= png.count {
                let length = png[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
                let content = png[(offset + 8)..<(offset + 8 + length)]
                switch String(decoding: png[(offset + 4)..<(offset + 8)], as: UTF8.self) {
                case "IHDR" where frame == 0: head = png.prefix(8) + chunk("IHDR", content)
                case "IDAT": pixels += content
                default: break
                }
                offset += length + 12
            }
            let control = bytes(number) + bytes(16) + bytes(16) + bytes(0) + bytes(0) + Data([0, 1, 0, 10, 0, 0])
            tail += chunk("fcTL", control)
            number += 1
            if frame == 0 {
                tail += chunk("IDAT", pixels)
            } else {
                tail += chunk("fdAT", bytes(number) + pixels)
                number += 1
            }
        }
        return head + chunk("acTL", bytes(frames) + bytes(0)) + tail + chunk("IEND", Data())
    }

    @Test func theFramesOfAnAnimatedPNGAreRead() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "moving.png")
            let data = try animatedPNG(frames: 5)
            try data.write(to: url)
            let video = try VideoReader(contentsOf: url)
            var times: [Duration] = []
            while let frame = try video.next() { times.append(frame.timestamp) }
            #expect(times == (0..<5).map { .milliseconds(100) * $0 })
            #expect(video.statistics.earlyEnd == nil)
            try data.dropLast(30).write(to: url)
            #expect(try earlyEnd(url)?.contains("cut off") == true)
        }
    }

    @Test func aPNGOfOneFrameIsAPicture() throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "still.png")
            try animatedPNG(frames: 1).write(to: url)
            let video = try VideoReader(contentsOf: url)
            #expect(try video.next() != nil)
            #expect(try video.next() == nil)
            #expect(video.info.codec == "png" && video.statistics.earlyEnd == nil)
        }
    }
}
