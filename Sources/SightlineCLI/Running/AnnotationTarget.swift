import CommandLineSupport
import Foundation
import Sightline

/// The place of annotated pictures.
enum AnnotationTarget: Sendable, Hashable {
    /// The only picture goes into this file.
    case file(String)
    /// Pictures go into this folder under their own names.
    case folder(String)

    /// Decides between a file and a folder.
    ///
    /// - Parameter isSingle: whether there is just one picture.
    /// - Throws: `ImageError` if the file's extension is not that of a writable picture; `InputError` if several pictures have
    ///   only one file.
    init(_ path: String, isSingle: Bool) throws {
        if InputSequence.isFolder(path) || path.hasSuffix("/") {
            self = .folder(path)
        } else if isSingle {
            _ = try ImageFormat(writingTo: path)
            self = .file(path)
        } else {
            guard !InputSequence.exists(path), !ImageFormat.isReadable(fileName: path) else {
                throw InputError(
                    reason:
                        "--annotate \(path) is the name of a file, but several pictures need a folder; name a folder."
                )
            }
            self = .folder(path)
        }
    }

    /// The folder, if there is one.
    var folder: String? {
        if case .folder(let path) = self { path } else { nil }
    }

    /// The file for an input's annotated picture.
    ///
    /// In a folder, a picture keeps its relative path, so that two pictures of one name do not overwrite each other. A picture in a
    /// format that Sightline does not write, such as WebP, gets the extension `.png` as well.
    func path(for input: Input) -> String {
        switch self {
        case .file(let path):
            return path
        case .folder(let folder):
            var path = input.relativePath
            if (try? ImageFormat(writingTo: path)) == nil { path += ".png" }
            return folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
        }
    }
}
