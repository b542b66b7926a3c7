import CZlib
import Foundation
import Testing

/// Compresses as gzip does.
func gzip(_ data: Data) throws -> Data {
    var stream = z_stream()
    let status = deflateInit2_(
        &stream,
        6,
        Z_DEFLATED,
        15 + 16,
        8,
        Z_DEFAULT_STRATEGY,
        ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)
    )
    try #require(status == Z_OK)
    defer { deflateEnd(&stream) }
    var input = Array(data)
    var output = [UInt8](repeating: 0, count: data.count + 1024)
    let count = try input.withUnsafeMutableBufferPointer { input in
        try output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            try #require(deflate(&stream, Z_FINISH) == Z_STREAM_END)
            return output.count - Int(stream.avail_out)
        }
    }
    return Data(output.prefix(count))
}
