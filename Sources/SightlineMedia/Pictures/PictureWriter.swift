import Foundation
import Sightline

/// Writes picture files, whole or not at all.
public enum PictureWriter {
    /// Writes a picture as PNG or JPEG, as the path's extension says.
    ///
    /// - Parameters:
    ///   - picture: in the format `rgb`, as ``Annotator`` and `VisionImage.upright()` give it.
    ///   - url: a file in a folder that exists; a file that is there is replaced.
    /// - Throws: `MediaError.unknownExtension`, `.encodingFailed` or `.unwritable`. What was there before is then
    ///   unchanged.
    public static func write(_ picture: PixelBuffer, to url: URL) throws(MediaError) {
        let format = try PictureFormat(path: url.path(percentEncoded: false))
        try write(format.encode(picture), to: url)
    }

    /// Writes the bytes of a file: beside the target first, then under its name in one step.
    ///
    /// - Throws: `MediaError.unwritable`.
    public static func write(_ encoded: Data, to url: URL) throws(MediaError) {
        do {
            try encoded.write(to: url, options: .atomic)
        } catch {
            throw .unwritable(path: url.path(percentEncoded: false), reason: reason(for: url, error))
        }
    }

    /// Why a path cannot be written, in plain words where the cause can be seen.
    private static func reason(for url: URL, _ error: any Error) -> String {
        let folder = url.deletingLastPathComponent().path(percentEncoded: false)
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: url.path(percentEncoded: false), isDirectory: &isFolder),
            isFolder.boolValue
        {
            return "it is a folder"
        }
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
            return "the folder is missing"
        }
        guard isFolder.boolValue else { return "\(folder) is no folder" }
        guard FileManager.default.isWritableFile(atPath: folder) else { return "the folder is not writable" }
        return error.localizedDescription
    }
}
