import Foundation

/// A TIFF file whose fields have been read.
struct TIFFImage: CodedImage {
    let size: PixelSize
    let orientation: ImageOrientation?
    private let samples: TIFFSamples
    private let chunks: TIFFChunks

    init(_ data: Data) throws(ImageError) {
        let file = ByteReader(data: data)
        let directory = try TIFFDirectory(file)
        guard let width = directory.number(.width), let height = directory.number(.height), width > 0, height > 0 else {
            throw .corrupted(format: "TIFF", reason: "it has no size")
        }
        size = PixelSize(width: width, height: height)
        orientation = directory.number(.orientation).flatMap(UInt8.init(exactly:)).flatMap(ImageOrientation.init)
        samples = try TIFFSamples(directory)
        chunks = try TIFFChunks(file, directory, size, samples)
    }

    /// Decodes the strips or tiles that the region touches, at full size.
    func decoded(for request: DecodingRequest) throws(ImageError) -> DecodedImage {
        let part = DecodedPart(of: size, request.region)
        let channels = samples.isGray ? 1 : 3
        let pixels = try PixelBuffer(
            filling: PixelSize(width: part.width, height: part.height),
            channels: channels
        ) { rows, stride throws(ImageError) in
            for row in part.top / chunks.size.height...(part.top + part.height - 1) / chunks.size.height {
                for column in part.left / chunks.size.width...(part.left + part.width - 1) / chunks.size.width {
                    try chunks.decode(column, row, samples) { (chunk, frame) throws(ImageError) in
                        // The columns and rows of the picture that the chunk and the part have in common.
                        let columns =
                            max(frame.left, part.left)..<min(frame.left + frame.width, part.left + part.width)
                        for y in max(frame.top, part.top)..<min(frame.top + frame.height, part.top + part.height) {
                            chunk.convert(
                                row: y - frame.top,
                                columns: columns.lowerBound - frame.left..<columns.upperBound - frame.left,
                                into: rows + (y - part.top) * stride + (columns.lowerBound - part.left) * channels
                            )
                        }
                    }
                }
            }
        }
        return DecodedImage(pixels: pixels, region: part.rect(), storedSize: size)
    }
}
