import CZlib
import NIOCore

/// Inflates bodies that clients compress.
///
/// The pointers are sound: each is of a buffer's own start and count and used within the call that gives it. zlib only reads
/// its input, though the type of `next_in` does not say so.
enum Gzip {
    /// Whether bytes begin as gzip does (RFC 1952).
    ///
    /// The bytes decide and not the header: Firebase's JavaScript SDK says gzip and sends plain JSON.
    static func isCompressed(_ body: ByteBuffer) -> Bool { body.readableBytesView.starts(with: [0x1F, 0x8B]) }

    /// The content, or nil if it is damaged or longer than the limit. Takes no more memory than the limit.
    static func inflated(_ packed: ByteBuffer, limit: Int) -> ByteBuffer? {
        var stream = z_stream()
        // 16 more than the window's size: gzip's header and trailer.
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&stream) }
        guard packed.readableBytes <= Int(UInt32.max), limit < Int(UInt32.max) else { return nil }
        var isWhole = false
        var content = ByteBuffer()
        // Room for one byte more than the limit tells a content that is too long from one that just fits.
        content.writeWithUnsafeMutableBytes(minimumWritableBytes: limit + 1) { output in
            packed.withUnsafeReadableBytes { input in
                stream.next_in = UnsafeMutablePointer(
                    mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self)
                )
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.avail_out = UInt32(limit + 1)
                isWhole = inflate(&stream, Z_FINISH) == Z_STREAM_END
                return limit + 1 - Int(stream.avail_out)
            }
        }
        return isWhole && content.readableBytes <= limit ? content : nil
    }
}
