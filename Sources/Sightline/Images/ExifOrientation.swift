import Foundation

/// Finds the orientation that a camera wrote into a picture's EXIF data.
///
/// Damaged EXIF data counts as none: the picture itself can still be right.
enum ExifOrientation {
    static func read(from data: Data, format: ImageFormat) -> ImageOrientation? {
        let tiff =
            switch format {
            case .jpeg: tiffInJPEG(ByteReader(data: data))
            case .png: tiffInPNG(ByteReader(data: data))
            case .webp: tiffInWebP(ByteReader(data: data))
            }
        return tiff.flatMap { orientation(inTIFF: ByteReader(data: $0)) }
    }

    /// Walks the segments before the pixels for APP1 with the signature `Exif\0\0` (Exif 2.32, section 4.7.2).
    private static func tiffInJPEG(_ bytes: ByteReader) -> Data? {
        var offset = 2
        while bytes.byte(at: offset) == 0xFF, let marker = bytes.byte(at: offset + 1) {
            switch marker {
            case 0xFF:  // a filling byte
                offset += 1
            case 0x01, 0xD0...0xD7:  // no length follows
                offset += 2
            case 0xD9, 0xDA:  // end of picture, start of pixels
                return nil
            default:
                guard let length = bytes.uint16(at: offset + 2, isBigEndian: true), length >= 2 else { return nil }
                if marker == 0xE1, length >= 8, bytes.has("Exif\0\0", at: offset + 4) {
                    return bytes.slice(at: offset + 10, count: length - 8)
                }
                offset += 2 + length
            }
        }
        return nil
    }

    /// Walks the chunks for `eXIf` (PNG specification, third edition, section 11.3.3.7).
    private static func tiffInPNG(_ bytes: ByteReader) -> Data? {
        var offset = 8
        while let length = bytes.uint32(at: offset, isBigEndian: true) {
            if bytes.has("eXIf", at: offset + 4) { return bytes.slice(at: offset + 8, count: length) }
            offset += 12 + length
        }
        return nil
    }

    /// Walks the chunks for `EXIF` (RFC 9649, section 2.7.1.5). Some writers keep JPEG's signature before the data.
    private static func tiffInWebP(_ bytes: ByteReader) -> Data? {
        var offset = 12
        while let length = bytes.uint32(at: offset + 4, isBigEndian: false) {
            if bytes.has("EXIF", at: offset) {
                let signature = bytes.has("Exif\0\0", at: offset + 8) ? 6 : 0
                return bytes.slice(at: offset + 8 + signature, count: length - signature)
            }
            offset += 8 + length + length % 2
        }
        return nil
    }

    /// Reads tag 0x0112 from the first directory (TIFF 6.0, section 2).
    private static func orientation(inTIFF bytes: ByteReader) -> ImageOrientation? {
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
