import Foundation
import Sightline
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct PixelBufferTests {
    private func plane(_ count: Int, _ bytesPerRow: Int) -> PixelBuffer.Plane {
        PixelBuffer.Plane(data: Data(count: count), bytesPerRow: bytesPerRow)
    }

    @Test func theLastRowNeedNotBePadded() throws {
        let buffer = try PixelBuffer(format: .rgb, width: 3, height: 2, planes: [plane(16 + 9, 16)])
        #expect(buffer.size == PixelSize(width: 3, height: 2))
    }

    @Test func oddFramesHaveHalfTheColourSamplesRoundedUp() throws {
        _ = try PixelBuffer(format: .nv12, width: 5, height: 3, planes: [plane(15, 5), plane(12, 6)])
        _ = try PixelBuffer(format: .i420, width: 5, height: 3, planes: [plane(15, 5), plane(6, 3), plane(6, 3)])
        #expect(throws: ImageError.self) {
            try PixelBuffer(format: .nv12, width: 5, height: 3, planes: [plane(15, 5), plane(11, 6)])
        }
    }

    @Test(arguments: [
        (0, 4, 12), (4, 0, 12), (-1, 4, 12), (4, 4, 11), (4, 4, -12), (5, 4, 12), (4, 5, 12), (Int.max, 1, Int.max),
        (1, Int.max, Int.max), (Int.max, Int.max, 12),
    ])
    func planesThatAreTooSmallAreErrors(width: Int, height: Int, bytesPerRow: Int) {
        #expect {
            try PixelBuffer(format: .rgb, width: width, height: height, planes: [plane(48, bytesPerRow)])
        } throws: { error in
            guard case ImageError.invalidPixelBuffer = error else { return false }
            return true
        }
    }

    @Test func aWrongNumberOfPlanesIsAnError() {
        #expect(throws: ImageError.invalidPixelBuffer(reason: "i420 has 3 planes, but 1 were given")) {
            try PixelBuffer(format: .i420, width: 2, height: 2, planes: [plane(4, 2)])
        }
    }

    @Test func decodingPassesTheCallersMemoryOn() throws {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 48, alignment: 16)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 9, count: 48)
        let data = Data(bytesNoCopy: memory, count: 48, deallocator: .none)
        let buffer = try PixelBuffer(
            format: .rgb,
            width: 4,
            height: 4,
            planes: [PixelBuffer.Plane(data: data, bytesPerRow: 12)]
        )
        let image = VisionImage(pixels: buffer)
        let decoded = try image.decoded(for: [])
        let upright = try image.upright()
        for data in [decoded.pixels.planes[0].data, upright.planes[0].data] {
            #expect(data.withUnsafeBytes { $0.baseAddress } == UnsafeRawPointer(memory))
        }
    }

    /// The scene as NV12, made here with the inverse of the documented formulas, shows the scene.
    @Test(arguments: [PixelBuffer.YCbCrRange.video, .full], [PixelBuffer.YCbCrMatrix.bt601, .bt709])
    func nv12AndI420ShowWhatRGBShows(range: PixelBuffer.YCbCrRange, matrix: PixelBuffer.YCbCrMatrix) throws {
        let scene = try Picture(fixture: "scene.png")
        let (width, height) = (scene.size.width, scene.size.height)
        var luma = [UInt8]()
        var differences = [(blue: UInt8, red: UInt8)]()
        func convert(_ x: Int, _ y: Int) -> (Double, Double, Double) {
            let rgb = scene.pixel(min(x, width - 1), min(y, height - 1)).map(Double.init)
            let (red, green, blue) = matrix == .bt601 ? (0.299, 0.587, 0.114) : (0.2126, 0.7152, 0.0722)
            let y = red * rgb[0] + green * rgb[1] + blue * rgb[2]
            let (b, r) = ((rgb[2] - y) / (2 - 2 * blue), (rgb[0] - y) / (2 - 2 * red))
            return range == .full
                ? (y, b + 128, r + 128) : (y * 219 / 255 + 16, b * 224 / 255 + 128, r * 224 / 255 + 128)
        }
        for y in 0..<height { for x in 0..<width { luma.append(UInt8(convert(x, y).0.rounded())) } }
        for y in stride(from: 0, to: height, by: 2) {
            for x in stride(from: 0, to: width, by: 2) {
                let four = [convert(x, y), convert(x + 1, y), convert(x, y + 1), convert(x + 1, y + 1)]
                differences.append(
                    (
                        UInt8((four.map(\.1).reduce(0, +) / 4).rounded()),
                        UInt8((four.map(\.2).reduce(0, +) / 4).rounded())
                    )
                )
            }
        }
        let half = (width + 1) / 2
        let nv12 = try PixelBuffer(
            format: .nv12,
            width: width,
            height: height,
            planes: [
                PixelBuffer.Plane(data: Data(luma), bytesPerRow: width),
                PixelBuffer.Plane(data: Data(differences.flatMap { [$0.blue, $0.red] }), bytesPerRow: half * 2),
            ],
            range: range,
            matrix: matrix
        )
        let i420 = try PixelBuffer(
            format: .i420,
            width: width,
            height: height,
            planes: [
                PixelBuffer.Plane(data: Data(luma), bytesPerRow: width),
                PixelBuffer.Plane(data: Data(differences.map(\.blue)), bytesPerRow: half),
                PixelBuffer.Plane(data: Data(differences.map(\.red)), bytesPerRow: half),
            ],
            range: range,
            matrix: matrix
        )
        let fromNV12 = try Picture(VisionImage(pixels: nv12))
        // Levels, on average: colors at half size blur the edges of small shapes.
        #expect(fromNV12.distance(to: scene).mean < 3)
        #expect(try Picture(VisionImage(pixels: i420)) == fromNV12)
    }
}
