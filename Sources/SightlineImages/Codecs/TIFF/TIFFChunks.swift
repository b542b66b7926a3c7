import Foundation

/// The strips or tiles of a TIFF picture: parts of one size that are compressed one by one (TIFF 6.0, sections 3 and 15).
struct TIFFChunks {
    /// A chunk's place in the picture. Tiles may reach beyond its right and lower edges.
    struct Frame {
        var left: Int
        var top: Int
        var width: Int
        var height: Int
    }

    /// The size of a chunk; the last strip may be lower.
    let size: PixelSize
    private let pictureSize: PixelSize
    private let columns: Int
    private let rows: Int
    /// Whether each sample of a pixel is in a separate chunk.
    private let isPlanar: Bool
    private let isTiled: Bool
    private let directory: TIFFDirectory
    private let file: ByteReader
    private let decompressor: TIFFDecompressor

    /// The pixels of a tile at most, in a picture with fewer.
    private static let mostTilePixels = 1 << 22

    init(_ file: ByteReader, _ directory: TIFFDirectory, _ picture: PixelSize, _ samples: TIFFSamples)
        throws(ImageError)
    {
        self.file = file
        self.directory = directory
        pictureSize = picture
        isPlanar = directory.number(.planarConfiguration) == 2 && samples.samplesPerPixel > 1
        isTiled = directory.count(.tileOffsets) > 0
        if isTiled {
            guard let width = directory.number(.tileWidth), let height = directory.number(.tileHeight), width > 0,
                height > 0
            else { throw .corrupted(format: "TIFF", reason: "its tiles have no size") }
            let (area, overflow) = picture.width.multipliedReportingOverflow(by: picture.height)
            guard width * height <= max(Self.mostTilePixels, overflow ? .max : area) else {
                throw .corrupted(format: "TIFF", reason: "its tiles have \(width) × \(height) pixels")
            }
            size = PixelSize(width: width, height: height)
        } else {
            let height = min(directory.number(.rowsPerStrip) ?? picture.height, picture.height)
            guard height > 0 else { throw .corrupted(format: "TIFF", reason: "its strips have no rows") }
            size = PixelSize(width: picture.width, height: height)
        }
        columns = (picture.width + size.width - 1) / size.width
        rows = (picture.height + size.height - 1) / size.height
        guard !isPlanar || samples.color != .ycbcr else { throw .rareTIFF("luma and color differences in planes") }
        decompressor = try TIFFDecompressor(directory, samples)
        try checkByteCounts()
    }

    /// A file whose chunks share their bytes would take a time that grows with the square of its size.
    private func checkByteCounts() throws(ImageError) {
        let tag: TIFFDirectory.Tag = isTiled ? .tileByteCounts : .stripByteCounts
        let count = directory.count(tag)
        // The values are in the file, so there are not more than it has bytes.
        guard count <= file.count else { throw .cutShort("TIFF") }
        var total = 0
        for index in 0..<count {
            total += directory.number(tag, index) ?? 0
            guard total <= 2 * file.count else {
                throw .corrupted(format: "TIFF", reason: "its parts have more bytes than the file")
            }
        }
    }

    /// The compressed bytes of a chunk.
    private func bytes(_ index: Int) throws(ImageError) -> Data {
        guard let offset = directory.number(isTiled ? .tileOffsets : .stripOffsets, index) else {
            throw .cutShort("TIFF")
        }
        // Old programs leave out the length of a picture's only strip.
        let count =
            directory.number(isTiled ? .tileByteCounts : .stripByteCounts, index)
            ?? (columns * rows == 1 && !isPlanar ? max(file.count - offset, 0) : nil)
        guard let count, let bytes = file.slice(at: offset, count: count) else { throw .cutShort("TIFF") }
        return bytes
    }

    /// Decompresses a chunk and passes on its pixels and its place in the picture.
    func decode(
        _ column: Int,
        _ row: Int,
        _ samples: TIFFSamples,
        _ body: (TIFFChunk, Frame) throws(ImageError) -> Void
    ) throws(ImageError) {
        let top = row * size.height
        let height = isTiled ? size.height : min(size.height, pictureSize.height - top)
        let frame = Frame(left: column * size.width, top: top, width: size.width, height: height)
        let shape = PixelSize(width: size.width, height: height)
        let index = row * columns + column
        var planes: [[UInt8]] = []
        for plane in 0..<(isPlanar ? samples.samplesPerPixel : 1) {
            planes.append(
                try decompressor.decompress(
                    bytes(plane * columns * rows + index),
                    to: shape,
                    samplesPerPixel: isPlanar ? 1 : samples.samplesPerPixel
                )
            )
        }
        let chunk = TIFFChunk(
            planes: planes,
            width: shape.width,
            samples: samples,
            isPlanar: isPlanar,
            isJPEG: decompressor.isJPEG
        )
        try body(chunk, frame)
    }
}
