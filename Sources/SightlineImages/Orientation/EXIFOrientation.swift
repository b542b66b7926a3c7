import Foundation

/// Finds the orientation in EXIF data, which are a TIFF file without pixels.
enum EXIFOrientation {
    /// Reads tag 0x0112 from the first directory (TIFF 6.0, section 2); nil if it is missing or damaged.
    static func read(_ tiff: Data) -> ImageOrientation? {
        let bytes = ByteReader(data: tiff)
        let isBigEndian: Bool
        if bytes.has("II*\0", at: 0) {
            isBigEndian = false
        } else if bytes.has("MM\0*", at: 0) {
            isBigEndian = true
        } else {
            return nil
        }
        guard let directory = bytes.uint32(at: 4, isBigEndian: isBigEndian),
            let count = bytes.uint16(at: directory, isBigEndian: isBigEndian)
        else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + index * 12
            guard let tag = bytes.uint16(at: entry, isBigEndian: isBigEndian) else { return nil }
            guard tag == 0x0112 else { continue }
            let value =
                switch bytes.uint16(at: entry + 2, isBigEndian: isBigEndian) {
                case 3: bytes.uint16(at: entry + 8, isBigEndian: isBigEndian)
                case 4: bytes.uint32(at: entry + 8, isBigEndian: isBigEndian)
                default: Int?.none
                }
            return value.flatMap { UInt8(exactly: $0) }.flatMap(ImageOrientation.init(rawValue:))
        }
        return nil
    }
}
