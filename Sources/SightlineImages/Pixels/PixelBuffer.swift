import Foundation

/// Pixels in memory, for example a camera's frame, with 8 bits per channel.
///
/// The buffer does not copy the caller's memory: wrap it with `Data(bytesNoCopy:count:deallocator:)`. The memory must not change
/// while the buffer is in use.
public struct PixelBuffer: Sendable {
    /// The arrangement of channels in planes.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// One plane, 3 bytes per pixel: red, green, blue.
        case rgb
        /// One plane, 4 bytes per pixel: red, green, blue, alpha. Alpha is ignored.
        case rgba
        /// One plane, 4 bytes per pixel: blue, green, red, alpha. Alpha is ignored.
        case bgra
        /// One plane, 1 byte per pixel.
        case gray
        /// Two planes: luma, and alternating Cb and Cr at half the width and height, rounded up.
        case nv12
        /// Three planes: luma, and Cb and Cr at half the width and height, rounded up.
        case i420

        /// The number of planes.
        public var planeCount: Int {
            switch self {
            case .rgb, .rgba, .bgra, .gray: 1
            case .nv12: 2
            case .i420: 3
            }
        }

        /// Whether colors are luma and two differences rather than red, green and blue.
        public var isYCbCr: Bool { self == .nv12 || self == .i420 }

        /// Bytes from a sample to its right neighbor in a plane.
        package func bytesPerSample(plane: Int) -> Int {
            switch self {
            case .rgb: 3
            case .rgba, .bgra: 4
            case .gray, .i420: 1
            case .nv12: plane == 0 ? 1 : 2
            }
        }
    }

    /// The byte values of luma and color differences. Other formats ignore it.
    public enum YCbCrRange: Sendable, Hashable {
        /// Luma 16…235 and differences 16…240: video files, most cameras, `420v` buffers of Apple systems.
        case video
        /// 0…255: JPEG, `420f` buffers of Apple systems.
        case full
    }

    /// The conversion of red, green and blue to luma and color differences. Other formats ignore it.
    public enum YCbCrMatrix: Sendable, Hashable {
        /// ITU-R BT.601: JPEG, standard-definition video, most cameras.
        case bt601
        /// ITU-R BT.709: high-definition video.
        case bt709
    }

    /// Rows of samples in memory.
    public struct Plane: Sendable {
        /// The bytes of the rows, top row first.
        public let data: Data
        /// Bytes from a row to the next: at least the bytes of a row's samples.
        public let bytesPerRow: Int

        /// Creates a plane.
        public init(data: Data, bytesPerRow: Int) {
            self.data = data
            self.bytesPerRow = bytesPerRow
        }
    }

    /// The arrangement of channels in planes.
    public let format: Format
    /// Pixels of a row.
    public let width: Int
    /// Rows.
    public let height: Int
    /// The planes, in the order of the format.
    public let planes: [Plane]
    /// The byte values of luma and color differences.
    public let range: YCbCrRange
    /// The conversion to luma and color differences.
    public let matrix: YCbCrMatrix

    /// The size in pixels.
    public var size: PixelSize { PixelSize(width: width, height: height) }

    /// Wraps planes without copying them.
    ///
    /// - Throws: `ImageError.invalidPixelBuffer` if a plane is missing or holds fewer bytes than the size needs. The last row
    ///   needs no padding.
    public init(
        format: Format,
        width: Int,
        height: Int,
        planes: [Plane],
        range: YCbCrRange = .video,
        matrix: YCbCrMatrix = .bt601
    ) throws(ImageError) {
        guard width > 0, height > 0 else {
            throw .invalidPixelBuffer(reason: "its size is \(width) × \(height), expected at least 1 × 1")
        }
        guard planes.count == format.planeCount else {
            throw .invalidPixelBuffer(
                reason: "\(format.rawValue) has \(format.planeCount) planes, but \(planes.count) were given"
            )
        }
        for (index, plane) in planes.enumerated() {
            let size = Self.planeSize(index, of: PixelSize(width: width, height: height))
            let (rowBytes, rowOverflow) = size.width.multipliedReportingOverflow(
                by: format.bytesPerSample(plane: index)
            )
            guard !rowOverflow, plane.bytesPerRow >= rowBytes else {
                throw .invalidPixelBuffer(
                    reason: "plane \(index) has \(plane.bytesPerRow) bytes a row, "
                        + "but \(size.width) samples of \(format.rawValue) take more"
                )
            }
            let (above, aboveOverflow) = plane.bytesPerRow.multipliedReportingOverflow(by: size.height - 1)
            let (needed, neededOverflow) = above.addingReportingOverflow(rowBytes)
            guard !aboveOverflow, !neededOverflow, plane.data.count >= needed else {
                throw .invalidPixelBuffer(
                    reason: "plane \(index) holds \(plane.data.count) bytes, "
                        + "but \(size.height) rows of \(plane.bytesPerRow) bytes take more"
                )
            }
        }
        self.format = format
        self.width = width
        self.height = height
        self.planes = planes
        self.range = range
        self.matrix = matrix
    }

    /// The size of a plane in samples: color differences have half the width and height, rounded up.
    package static func planeSize(_ plane: Int, of size: PixelSize) -> PixelSize {
        plane == 0 ? size : PixelSize(width: size.width / 2 + size.width % 2, height: size.height / 2 + size.height % 2)
    }
}
