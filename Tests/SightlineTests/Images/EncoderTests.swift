#if !canImport(ImageIO)
    import CJPEG
    import CPNG
    import Foundation
    import Sightline
    import SightlineTestSupport
    import Testing

    /// The C functions that annotated pictures are written with.
    @Suite(.hangLimit)
    struct EncoderTests {
        private func encode(
            _ picture: Picture,
            stride: Int,
            with encoder: (UnsafePointer<UInt8>, Int32, Int32, inout UnsafeMutablePointer<UInt8>?, inout Int) -> Int32,
            free: (UnsafeMutablePointer<UInt8>?) -> Void
        ) throws -> Data {
            let row = picture.size.width * 3
            var padded: [UInt8] = []
            for y in 0..<picture.size.height {
                padded += picture.bytes[(y * row)..<((y + 1) * row)]
                padded += [UInt8](repeating: 0xEE, count: stride - row)
            }
            var out: UnsafeMutablePointer<UInt8>?
            var count = 0
            let code = encoder(padded, Int32(picture.size.width), Int32(picture.size.height), &out, &count)
            defer { free(out) }
            #expect(code == 0)
            return Data(bytes: try #require(out), count: count)
        }

        @Test func pngGivesBackTheSamePixels() throws {
            let scene = try Picture(fixture: "scene.png")
            var message = [CChar](repeating: 0, count: Int(CPNG_MESSAGE_SIZE))
            let data = try encode(scene, stride: 170) { rows, width, height, out, count in
                cpng_encode(rows, width, height, 170, 0, &out, &count, &message)
            } free: {
                cpng_free($0)
            }
            #expect(try Picture(VisionImage(data: data)) == scene)
        }

        @Test func jpegGivesBackNearlyTheSamePixels() throws {
            let scene = try Picture(fixture: "scene.png")
            var message = [CChar](repeating: 0, count: Int(CJPEG_MESSAGE_SIZE))
            let data = try encode(scene, stride: 170) { rows, width, height, out, count in
                cjpeg_encode(rows, width, height, 170, 95, &out, &count, &message)
            } free: {
                cjpeg_free($0)
            }
            #expect(try Picture(VisionImage(data: data)).distance(to: scene).mean < ImageFormatTests.jpegMean)
        }

        @Test func jpegOfNoiseOutgrowsTheFirstBufferAndIsWhole() throws {
            let side = 512
            var random = RepeatableRandom(seed: 7)
            let grays = (0..<side * side).map { _ in UInt8.random(in: 0...255, using: &random) }
            let noise = Picture(size: PixelSize(width: side, height: side), bytes: grays.flatMap { [$0, $0, $0] })
            var message = [CChar](repeating: 0, count: Int(CJPEG_MESSAGE_SIZE))
            let data = try encode(noise, stride: side * 3) { rows, width, height, out, count in
                cjpeg_encode(rows, width, height, side * 3, 100, &out, &count, &message)
            } free: {
                cjpeg_free($0)
            }
            #expect(data.count > 3 << 16)
            #expect(try Picture(VisionImage(data: data)).distance(to: noise).mean < ImageFormatTests.jpegMean)
        }

        @Test(arguments: [(Int32(0), Int32(1)), (1, -1), (65_501, 1), (1, 70_000)])
        func sizesThatJPEGCannotHoldAreErrors(width: Int32, height: Int32) {
            var message = [CChar](repeating: 0, count: Int(CJPEG_MESSAGE_SIZE))
            var out: UnsafeMutablePointer<UInt8>?
            var count = 0
            let row = [UInt8](repeating: 0, count: 4)
            #expect(cjpeg_encode(row, width, height, 4, 90, &out, &count, &message) == Int32(CJPEG_UNSUPPORTED))
            #expect(out == nil && count == 0)
        }
    }
#endif
