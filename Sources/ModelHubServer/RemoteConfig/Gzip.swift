import CZlib
import NIOCore

/// Inflates bodies that clients compress.
///
/// The pointers are sound: each is of a buffer's own start and count and used within the call that gives it.
enum Gzip {
    /// Whether bytes begin as gzip does (RFC 1952); what headers say is not to be trusted.
    static func isCompressed(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

    /// The content; nil if it is damaged, or longer than the limit. Memory is bounded by the limit.
    static func inflated(_ packed: [UInt8], limit: Int) -> [UInt8]? {
        var packed = packed
        var stream = z_stream()
        // 16 more than the window's size: gzip's header and trailer.
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&stream) }
        guard packed.count <= Int(UInt32.max), limit < Int(UInt32.max) else { return nil }
        var isWhole = false
        let content = [UInt8](unsafeUninitializedCapacity: limit + 1) { output, count in
            count = packed.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                isWhole = inflate(&stream, Z_FINISH) == Z_STREAM_END
                return output.count - Int(stream.avail_out)
            }
        }
        return isWhole && content.count <= limit ? content : nil
    }
}
