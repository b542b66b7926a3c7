#if !canImport(ImageIO)
    import Foundation

    /// A C library that encodes rows of pixels into its own memory.
    ///
    /// Unsafe code: `Data` takes over the memory together with the function that frees it. `PixelBuffer` has checked that the rows
    /// have the size that the encoder reads.
    struct EncodingLibrary {
        /// The name of the format in messages.
        let format: String
        /// The room that the library's functions need for a message.
        let messageSize: Int
        /// The code of success.
        let success: Int
        let free: @Sendable (UnsafeMutablePointer<UInt8>?) -> Void

        /// The results of an encoder besides its code.
        struct Output {
            var bytes: UnsafeMutablePointer<UInt8>?
            var count = 0
            var message: MessageBuffer
        }

        /// Makes a file of a picture.
        ///
        /// - Parameter encode: Gets the rows, and returns the library's code.
        /// - Throws: `ImageError.encodingFailed`.
        func file(
            of picture: PixelBuffer,
            by encode: (_ rows: UnsafePointer<UInt8>?, _ stride: Int, inout Output) -> Int32
        ) throws(ImageError) -> Data {
            var output = Output(message: MessageBuffer(size: messageSize))
            let plane = picture.planes[0]
            let code = plane.data.withUnsafeBytes { encode($0.bytes, plane.bytesPerRow, &output) }
            guard Int(code) == success, let bytes = output.bytes else {
                throw .encodingFailed(format: format, reason: output.message.text)
            }
            return Data(
                bytesNoCopy: bytes,
                count: output.count,
                deallocator: .custom { [free] memory, _ in free(memory.assumingMemoryBound(to: UInt8.self)) }
            )
        }
    }
#endif
