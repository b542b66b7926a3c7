import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia

/// Where annotated pictures go.
enum AnnotationTarget: Sendable, Hashable {
    /// The one picture goes to this file.
    case file(String)
    /// Pictures go into this folder under their own names.
    case folder(String)

    /// Decides between file and folder.
    ///
    /// - Parameter isSingle: whether there is just one picture.
    /// - Throws: `ImageError` if a file's extension is not one of a picture; `InputError` if several pictures are to go
    ///   into one file.
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

    /// The folder that pictures go into, if it is one.
    var folder: String? {
        if case .folder(let path) = self { path } else { nil }
    }

    /// The file for an input's annotated picture.
    ///
    /// In a folder a picture keeps its path below the folder argument that it was found in, otherwise the path that it was
    /// named by, so that two pictures of one name do not overwrite each other. A picture in a format that is only read,
    /// such as WebP, gets `.png` added.
    func path(for input: Input) -> String {
        switch self {
        case .file(let path):
            return path
        case .folder(let folder):
            let name = input.name == "-" ? "stdin" : FileName.printed(input.nameInFolder ?? input.name)
            // Nothing may lead out of the folder.
            var parts = name.split(separator: "/").filter { $0 != "." && $0 != ".." }.joined(separator: "/")
            if (try? ImageFormat(writingTo: parts)) == nil { parts += ".png" }
            return folder.hasSuffix("/") ? folder + parts : "\(folder)/\(parts)"
        }
    }

    /// Draws the findings on a picture and writes it.
    func write(_ findings: PictureRecord.Findings, on image: VisionImage, of input: Input) throws {
        let path = path(for: input)
        if InputSequence.isSame(path, input.name) {
            throw InputError(reason: "--annotate would overwrite the picture itself; name another file or folder.")
        }
        let annotated =
            switch findings {
            case .objects(let objects, _): try Annotator().annotate(image, with: objects)
            case .labels(let labels): try Annotator().annotate(image, with: labels)
            }
        let encoded = try annotated.encoded(as: ImageFormat(writingTo: path))
        let url = URL(filePath: path)
        if case .folder = self {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
        }
        try Termination.whileWriting { () throws(ImageError) in try ImageFile.write(encoded, to: url) }
    }
}
