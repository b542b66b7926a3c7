import Foundation
import Sightline
import TextFormatting

/// The properties of a MOTChallenge sequence, from its `seqinfo.ini`.
public struct MOTSequence: Sendable, Hashable {
    /// The frames in a second; nil if the file does not have them.
    public private(set) var frameRate: Double?
    /// The size of the frames in pixels; 0 × 0 if the file does not have it.
    public private(set) var size = PixelSize(width: 0, height: 0)

    /// Reads the file one folder above a sequence's `det/det.txt`. Lines that are not understood are ignored, and so is a missing
    /// file.
    public init(ofDetections detections: URL) {
        self.init(folder: detections.absoluteURL.deletingLastPathComponent().deletingLastPathComponent())
    }

    /// Reads the file beside a sequence's `img1`, in the same way.
    ///
    /// - Parameter pictures: the folder of the pictures, or a pattern of their names in it such as `img1/%06d.jpg`.
    public init(ofPictures pictures: URL) {
        let url = pictures.standardizedFileURL
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: url.path(percentEncoded: false), isDirectory: &isFolder)
        let folder = isFolder.boolValue ? url : url.deletingLastPathComponent()
        self.init(folder: folder.deletingLastPathComponent())
    }

    private init(folder: URL) {
        guard let data = try? Data(contentsOf: folder.appending(path: "seqinfo.ini")) else { return }
        let text = String(decoding: TextEncoding.utf8(data), as: UTF8.self)
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let value = Double(parts[1].trimmingCharacters(in: .whitespaces)), value > 0,
                value < 1e6
            else { continue }
            switch parts[0].trimmingCharacters(in: .whitespaces) {
            case "frameRate": frameRate = value
            case "imWidth": size.width = Int(value)
            case "imHeight": size.height = Int(value)
            default: break
            }
        }
    }
}
