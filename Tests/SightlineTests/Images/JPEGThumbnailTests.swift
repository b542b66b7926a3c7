#if !canImport(ImageIO)
    import CJPEG
    import Foundation
    import SightlineTestSupport
    import Testing

    @testable import SightlineImages

    @Suite(.hangLimit) struct JPEGThumbnailTests {
        /// Levels of brightness. Colors are coarser where chroma has half the resolution.
        private static let meanTolerance = 1.0

        private func bytes(_ name: String) throws -> Data { try Data(contentsOf: TestData.fixture("images/" + name)) }

        private func decode(_ data: Data, eighths: Int = 1) -> JPEGThumbnail? {
            data.withUnsafeBytes { JPEGThumbnail.decode($0, eighths: eighths) }
        }

        /// ITU-R BT.601 luma.
        private func brightness(_ rgb: [Double]) -> Double { 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] }

        @Test(
            arguments: [
                "large-420.jpg", "large-422.jpg", "large-444.jpg", "large-gray.jpg", "large-restart.jpg",
                "large-progressive.jpg",
            ],
            [1, 2]
        )
        func aPixelIsTheMeanOfItsPart(name: String, eighths: Int) throws {
            let decoded = try decode(bytes(name), eighths: eighths)
            // The first scan of a progressive picture has nothing but means of blocks.
            guard name != "large-progressive.jpg" || eighths == 1 else {
                #expect(decoded == nil)
                return
            }
            let thumbnail = try #require(decoded)
            let full = try Picture(fixture: name)
            #expect(thumbnail.width == (full.size.width * eighths + 7) / 8)
            #expect(thumbnail.height == (full.size.height * eighths + 7) / 8)
            let side = 8 / eighths
            var distances: [Double] = []
            // Blocks at the right and lower edge reach outside, where the encoder chose what it liked.
            for y in 0..<full.size.height / 8 * eighths {
                for x in 0..<full.size.width / 8 * eighths {
                    let part = full.cropped(left: x * side, top: y * side, width: side, height: side)
                    let at = (y * thumbnail.width + x) * thumbnail.channels
                    let pixel = (0..<3).map { Double(thumbnail.pixels[at + min($0, thumbnail.channels - 1)]) }
                    let mean = (0..<3).map { channel in
                        stride(from: channel, to: part.bytes.count, by: 3).reduce(0.0) { $0 + Double(part.bytes[$1]) }
                            / Double(side * side)
                    }
                    distances.append(abs(brightness(pixel) - brightness(mean)))
                }
            }
            #expect(distances.reduce(0, +) / Double(distances.count) < Self.meanTolerance)
        }

        /// A picture with so many blocks that four walkers share them: waves, and noise that differs from part to part.
        private static func large(quality: Int, noise: Int = 20) throws -> Data {
            var generator = RepeatableRandom(seed: UInt64(quality))
            let size = PixelSize(width: 1016, height: 760)
            var bytes: [UInt8] = []
            for y in 0..<size.height {
                for x in 0..<size.width {
                    // Gray, and the same for all colors, whose resolution is another one here and there.
                    let range = y / 190 * noise
                    let noise = Int.random(in: -range...range, using: &generator)
                    let wave = 110 + 60 * sin(Double(x) / 37) + 40 * cos(Double(y) / 23)
                    bytes += repeatElement(UInt8(clamping: Int(wave) + noise), count: 3)
                }
            }
            let plane = PixelBuffer.Plane(data: Data(bytes), bytesPerRow: size.width * 3)
            let picture = try PixelBuffer(format: .rgb, width: size.width, height: size.height, planes: [plane])
            return try JPEGCodec().encode(picture, quality: quality)
        }

        /// libjpeg's rows at a scale.
        private func rowsOfLibrary(_ data: Data, _ thumbnail: JPEGThumbnail, eighths: Int = 1) -> [UInt8] {
            var region = CJPEGRegion(
                eighths: Int32(eighths),
                left: 0,
                top: 0,
                width: Int32(thumbnail.width),
                height: Int32(thumbnail.height),
                hasPlainInks: 0
            )
            var rows = [UInt8](repeating: 0, count: thumbnail.width * thumbnail.height * 3)
            var message = MessageBuffer(size: Int(CJPEG_MESSAGE_SIZE))
            let code = data.withUnsafeBytes { bytes in
                cjpeg_decode(
                    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    bytes.count,
                    &region,
                    &rows,
                    thumbnail.width * 3,
                    &message.characters
                )
            }
            #expect(Int(code) == Int(CJPEG_OK))
            return rows
        }

        @Test(arguments: [10, 50, 85, 97])
        func pixelsAreThoseOfTheLibraryUpToRounding(quality: Int) throws {
            let data = try Self.large(quality: quality)
            let thumbnail = try #require(decode(data))
            let library = rowsOfLibrary(data, thumbnail)
            let difference = zip(thumbnail.pixels, library).map { abs(Int($0) - Int($1)) }.max()
            #expect(thumbnail.pixels.count == library.count && difference ?? 255 <= 2)
        }

        /// libjpeg knows all frequencies; waves that are long beside a block have nearly none but the lowest.
        @Test(arguments: [50, 85, 97])
        func quartersOfBlocksAreThoseOfTheLibraryForLongWaves(quality: Int) throws {
            let data = try Self.large(quality: quality, noise: 0)
            let thumbnail = try #require(decode(data, eighths: 2))
            let library = rowsOfLibrary(data, thumbnail, eighths: 2)
            let difference = zip(thumbnail.pixels, library).map { abs(Int($0) - Int($1)) }.max()
            #expect(thumbnail.pixels.count == library.count && difference ?? 255 <= 2)
        }

        @Test func aLargePictureThatIsCutOffIsLeftToTheLibrary() throws {
            let data = try Self.large(quality: 85)
            for share in [0.1, 0.3, 0.5, 0.8, 0.99] {
                // With an end-of-image marker, so that only the missing blocks show it.
                let cut = data.prefix(Int(Double(data.count) * share)) + Data([0xFF, 0xD9])
                #expect(decode(cut) == nil && decode(cut, eighths: 2) == nil)
            }
        }

        @Test func damageInALargePictureNeverTraps() throws {
            let whole = try Self.large(quality: 85)
            var generator = RepeatableRandom(seed: 3)
            for _ in 0..<20 {
                var data = whole
                for _ in 0..<Int.random(in: 1...8, using: &generator) {
                    data[Int.random(in: 600..<data.count, using: &generator)] = UInt8.random(
                        in: 0...255,
                        using: &generator
                    )
                }
                for eighths in JPEGThumbnail.eighths {
                    guard let thumbnail = decode(data, eighths: eighths) else { continue }
                    #expect(thumbnail.pixels.count == thumbnail.width * thumbnail.height * thumbnail.channels)
                }
            }
        }

        @Test(arguments: ["jpeg-cmyk.jpg", "jpeg-ycck.jpg", "scene.png"])
        func whatItDoesNotReadIsLeftToTheLibrary(name: String) throws {
            #expect(try decode(bytes(name)) == nil)
        }

        @Test(arguments: ["large-420.jpg", "large-progressive.jpg", "large-restart.jpg"])
        func aCutOffPictureIsLeftToTheLibrary(name: String) throws {
            let data = try bytes(name)
            for length in stride(from: 0, to: data.count - 2, by: 7) {
                #expect(decode(data.prefix(length)) == nil)
            }
        }

        @Test(arguments: 0..<400 as Range<UInt64>)
        func damagedBytesNeverTrap(seed: UInt64) throws {
            var generator = RepeatableRandom(seed: seed)
            let names = [
                "large-420.jpg", "large-progressive.jpg", "large-restart.jpg", "large-gray.jpg", "jpeg-1x1.jpg",
            ]
            var data = try bytes(names[Int(seed) % names.count])
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                data[Int.random(in: 0..<data.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            // A size field may grow; what the caller would refuse is not decoded here either.
            guard (try? VisionImage(data: data, limits: ImageLimits(maximumPixels: 1_000_000))) != nil else { return }
            for eighths in JPEGThumbnail.eighths {
                guard let thumbnail = decode(data, eighths: eighths) else { continue }
                #expect(thumbnail.pixels.count == thumbnail.width * thumbnail.height * thumbnail.channels)
            }
        }
    }
#endif
