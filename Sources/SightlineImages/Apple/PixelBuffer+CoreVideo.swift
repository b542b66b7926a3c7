#if canImport(CoreVideo)
    public import CoreVideo
    import Foundation

    extension PixelBuffer {
        /// Takes the pixels of a Core Video buffer as they are, without copying them.
        ///
        /// The buffer stays locked for reading as long as the pixels are in use. The camera cannot reuse it for that time.
        ///
        /// - Parameter buffer: 32BGRA, 420v, 420f, or one gray byte per pixel. Color differences without a matrix count as
        ///   those of ITU-R BT.601.
        /// - Throws: `ImageError.invalidPixelBuffer` for another format, or if the buffer cannot be read.
        public init(_ buffer: CVPixelBuffer) throws(ImageError) {
            let format: Format
            var range = YCbCrRange.video
            switch CVPixelBufferGetPixelFormatType(buffer) {
            case kCVPixelFormatType_32BGRA: format = .bgra
            case kCVPixelFormatType_OneComponent8: format = .gray
            case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: format = .nv12
            case kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: (format, range) = (.nv12, .full)
            case let other:
                let code = String(
                    decoding: (0..<4).map { UInt8(truncatingIfNeeded: other >> (24 - 8 * $0)) },
                    as: UTF8.self
                )
                throw .invalidPixelBuffer(reason: "its format is \"\(code)\", expected BGRA, 420v, 420f or gray")
            }
            let lock = try PixelBufferLock(buffer)
            var planes: [Plane] = []
            if format == .nv12 {
                for index in 0..<format.planeCount {
                    planes.append(try lock.plane(index))
                }
            } else {
                planes.append(try lock.wholeBuffer())
            }
            let attachment = CVBufferCopyAttachment(buffer, kCVImageBufferYCbCrMatrixKey, nil)
            let isBT709 = attachment.map { CFEqual($0, kCVImageBufferYCbCrMatrix_ITU_R_709_2) } ?? false
            try self.init(
                format: format,
                width: CVPixelBufferGetWidth(buffer),
                height: CVPixelBufferGetHeight(buffer),
                planes: planes,
                range: range,
                matrix: isBT709 ? .bt709 : .bt601
            )
        }
    }

    /// Keeps a buffer locked for reading as long as it lives.
    ///
    /// Unchecked: the buffer is a constant. The class only locks and unlocks it, which Core Video allows from any thread, and only
    /// reads its memory.
    private final class PixelBufferLock: @unchecked Sendable {
        private let buffer: CVPixelBuffer

        init(_ buffer: CVPixelBuffer) throws(ImageError) {
            guard CVPixelBufferLockBaseAddress(buffer, .readOnly) == kCVReturnSuccess else {
                throw .invalidPixelBuffer(reason: "it cannot be locked for reading")
            }
            self.buffer = buffer
        }

        deinit { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }

        func plane(_ index: Int) throws(ImageError) -> PixelBuffer.Plane {
            guard index < CVPixelBufferGetPlaneCount(buffer) else {
                throw .invalidPixelBuffer(reason: "plane \(index) is not there")
            }
            return try plane(
                at: CVPixelBufferGetBaseAddressOfPlane(buffer, index),
                bytesPerRow: CVPixelBufferGetBytesPerRowOfPlane(buffer, index),
                height: CVPixelBufferGetHeightOfPlane(buffer, index)
            )
        }

        func wholeBuffer() throws(ImageError) -> PixelBuffer.Plane {
            try plane(
                at: CVPixelBufferGetBaseAddress(buffer),
                bytesPerRow: CVPixelBufferGetBytesPerRow(buffer),
                height: CVPixelBufferGetHeight(buffer)
            )
        }

        private func plane(
            at address: UnsafeMutableRawPointer?,
            bytesPerRow: Int,
            height: Int
        ) throws(ImageError) -> PixelBuffer.Plane {
            let (count, overflows) = bytesPerRow.multipliedReportingOverflow(by: height)
            guard let address, !overflows, count > 0 else {
                throw .invalidPixelBuffer(reason: "it has no memory that can be read")
            }
            // The closure holds the lock until the last copy of the data is gone.
            let data = Data(bytesNoCopy: address, count: count, deallocator: .custom { [self] _, _ in _ = self })
            return PixelBuffer.Plane(data: data, bytesPerRow: bytesPerRow)
        }
    }
#endif
