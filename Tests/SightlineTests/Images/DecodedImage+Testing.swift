import Foundation
import Sightline

extension DecodedImage {
    /// The bytes of a tensor, by default of 8-bit RGB pixels.
    func tensor(_ placement: Placement, as format: InputFormat? = nil) throws -> [UInt8] {
        let format = format ?? InputFormat(size: placement.tensorSize)
        let elementSize =
            switch format.dataType {
            case .float32: 4
            case .float16: 2
            default: 1
            }
        var bytes = [UInt8](
            repeating: 0xAA,
            count: format.size.width * format.size.height * format.channels.count * elementSize
        )
        // `withUnsafeMutableBytes` rethrows an untyped error.
        try bytes.withUnsafeMutableBytes { try write(placement, as: format, into: $0) }
        return bytes
    }
}
