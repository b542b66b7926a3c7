import CZlib
import NIOCore

/// Inflates compressed bodies.
///
/// The pointers are used safely: each belongs to a buffer's own start and count and is used within the call that
/// provides it. zlib only reads its input, although the type of `next_in` does not state this.
package enum Gzip {
    /// Whether bytes begin like gzip (RFC 1952).
    ///
    /// The header is not reliable: some clients declare gzip and send plain JSON.
    static func isCompressed(_ body: ByteBuffer) -> Bool { body.readableBytesView.starts(with: [0x1F, 0x8B]) }

    /// The inflated bytes; nil if they are damaged or exceed the limit. The memory stays within the limit.
    package static func inflated(_ packed: ByteBuffer, limit: Int) -> ByteBuffer? {
        var stream = z_stream()
        // The window's size plus 32 selects the header and trailer of gzip or of zlib, whichever is there.
        guard inflateInit2_(&stream, 15 + 32, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&stream) }
        guard packed.readableBytes <= Int(UInt32.max), limit < Int(UInt32.max) else { return nil }
        var isWhole = false
        var content = ByteBuffer()
        // One additional byte distinguishes contents that exceed the limit from contents that just fit.
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
