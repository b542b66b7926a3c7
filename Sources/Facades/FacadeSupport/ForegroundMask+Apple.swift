#if canImport(CoreVideo)
    public import CoreVideo

    extension ForegroundMask {
        /// The confidences in a new Core Video buffer of the format `kCVPixelFormatType_OneComponent32Float`.
        ///
        /// - Throws: `FacadeError.noBuffer` if the system gives no memory for it.
        public func pixelBuffer() throws -> CVPixelBuffer {
            var buffer: CVPixelBuffer?
            let status = CVPixelBufferCreate(nil, width, height, kCVPixelFormatType_OneComponent32Float, nil, &buffer)
            guard status == kCVReturnSuccess, let buffer else { throw FacadeError.noBuffer(status: status) }
            CVPixelBufferLockBaseAddress(buffer, [])
            defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
            guard let address = CVPixelBufferGetBaseAddress(buffer) else { throw FacadeError.noBuffer(status: status) }
            let bytesPerRow = CVPixelBufferGetBytesPerRow(buffer)
            // The buffer has `height` rows of at least `width` floats, and nobody else has it yet.
            confidences.withUnsafeBytes { bytes in
                let count = width * MemoryLayout<Float>.size
                for row in 0..<height {
                    let source = UnsafeRawBufferPointer(rebasing: bytes[row * count..<(row + 1) * count])
                    UnsafeMutableRawBufferPointer(start: address + row * bytesPerRow, count: count).copyMemory(
                        from: source
                    )
                }
            }
            return buffer
        }
    }
#endif
