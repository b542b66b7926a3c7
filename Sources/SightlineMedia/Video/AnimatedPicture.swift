import Foundation
import Sightline

/// A picture format that can hold several frames.
enum AnimatedPicture {
    /// FFmpeg decodes its frames.
    case video
    /// Only its first frame can be read.
    case firstFrameOnly

    /// The animation in a file; nil for a file with one picture. GIF is always read as a video.
    init?(_ url: URL) {
        guard let file = try? FileHandle(forReadingFrom: url) else { return nil }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: 1 << 16) else { return nil }
        let bytes = [UInt8](data)
        func has(_ text: String, at offset: Int) -> Bool {
            offset + 4 <= bytes.count && bytes[offset..<(offset + 4)].elementsEqual(text.utf8)
        }
        if has("PNG\r", at: 1) {
            // APNG: the chunk acTL precedes the first picture.
            var offset = 8
            while offset + 12 <= bytes.count, !has("IDAT", at: offset + 4) {
                let length = bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
                if has("acTL", at: offset + 4) {
                    let frames = bytes[(offset + 8)..<(offset + 12)].reduce(0) { $0 << 8 | Int($1) }
                    guard frames > 1 else { return nil }
                    self = .video
                    return
                }
                offset += length + 12
            }
            return nil
        }
        if has("RIFF", at: 0), has("WEBP", at: 8) {
            // The flag of the header VP8X.
            guard has("VP8X", at: 12), bytes.count > 20, bytes[20] & 0x02 != 0 else { return nil }
            self = .firstFrameOnly
            return
        }
        guard has("ftyp", at: 4) else { return nil }
        // A sequence of AVIF or HEIC pictures has a track as a video has. ("AV1 Image File Format", section 6.3.)
        let length = min(bytes[0..<4].reduce(0) { $0 << 8 | Int($1) }, bytes.count)
        guard stride(from: 8, to: length - 3, by: 4).contains(where: { has("avis", at: $0) || has("msf1", at: $0) })
        else { return nil }
        self = .video
    }
}
