import Foundation
import Sightline
import Testing

@testable import SightlineEvents

/// Pictures of noise, which JPEG cannot make small.
enum Picture {
    /// A JPEG of this width, and three quarters of it high.
    static func jpeg(_ width: Int) throws -> [UInt8] {
        let height = width * 3 / 4
        var generator: UInt64 = 1
        let bytes = (0..<width * height * 3).map { _ -> UInt8 in
            generator = generator &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: generator >> 33)
        }
        let plane = PixelBuffer.Plane(data: Data(bytes), bytesPerRow: width * 3)
        let pixels = try PixelBuffer(format: .rgb, width: width, height: height, planes: [plane])
        return Array(try pixels.encoded(as: .jpeg, quality: 90))
    }
}

/// The size of pictures that are sent.
@Suite struct EventPictureTests {
    @Test func leaveASmallPictureAsItIs() throws {
        let picture = try Picture.jpeg(64)
        #expect(EventPicture.fitted(picture, bytes: 100_000) == picture)
    }

    @Test(arguments: [100_000, 20_000, 5000]) func fitIntoALimit(limit: Int) throws {
        let picture = try Picture.jpeg(640)
        #expect(picture.count > 100_000)
        let fitted = try #require(EventPicture.fitted(picture, bytes: limit))
        #expect(fitted.count <= limit)
        let size = try VisionImage(data: Data(fitted)).size
        #expect(size.width * 3 == size.height * 4)
    }

    @Test func haveNoLongSide() throws {
        let fitted = try #require(EventPicture.fitted(Picture.jpeg(640), bytes: 1_000_000, side: 320))
        #expect(try VisionImage(data: Data(fitted)).size == PixelSize(width: 320, height: 240))
    }

    @Test func areLeftOutIfTheyCannotBeSmaller() throws {
        #expect(EventPicture.fitted(try Picture.jpeg(640), bytes: 100) == nil)
        #expect(EventPicture.fitted(Array("not a picture".utf8), bytes: 100) == nil)
    }
}

/// Reports that come at most once in a time.
@Suite struct ReportLimitTests {
    @Test func countsWhatItDoesNotReport() {
        var limit = ReportLimit(interval: .seconds(300))
        let start = ContinuousClock.now
        #expect(limit.pass(now: start) == 0)
        #expect(limit.pass(3, now: start + .seconds(1)) == nil)
        #expect(limit.pass(now: start + .seconds(299)) == nil)
        #expect(limit.pass(now: start + .seconds(300)) == 4)
        #expect(limit.pass(now: start + .seconds(600)) == 0)
    }
}
