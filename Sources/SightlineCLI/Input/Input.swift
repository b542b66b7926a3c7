import Foundation
import Sightline

/// One picture to look at, or why an argument leads to none.
struct Input: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// A file at this path.
        case file(path: String)
        /// The bytes on standard input.
        case standardInput
        /// Nothing can be read; the sentence says why.
        case failure(String)
    }

    /// The path as given or found, as ``FileName`` writes it; `-` for standard input.
    let name: String
    /// The name relative to the folder argument that it was found in; nil for a picture that was named itself.
    let nameInFolder: String?
    let content: Content

    /// The picture's name in results.
    var printedName: String { FileName.printed(name) }

    /// A relative path for files that belong to the picture: the path below the folder argument, otherwise the path on the command
    /// line without parts that lead out of a folder.
    var relativePath: String {
        guard name != "-" else { return "stdin" }
        return FileName.printed(nameInFolder ?? name).split(separator: "/").filter { $0 != "." && $0 != ".." }
            .joined(separator: "/")
    }

    static func file(_ path: String, nameInFolder: String? = nil) -> Input {
        Input(name: path, nameInFolder: nameInFolder, content: .file(path: path))
    }

    static let standardInput = Input(name: "-", nameInFolder: nil, content: .standardInput)

    static func failure(_ name: String, _ reason: String) -> Input {
        Input(name: name, nameInFolder: nil, content: .failure(reason))
    }

    /// Opens the picture; only its header is read.
    func open() async throws -> VisionImage {
        switch content {
        case .file(let path):
            try FileName.withPath(path) { try VisionImage(atPath: $0, name: FileName.printed(path)) }
        case .standardInput:
            try await VisionImage(data: StandardInput.readAll(atMost: ImageLimits.standard.maximumBytes))
        case .failure(let reason): throw InputError(reason: reason)
        }
    }
}

/// Why an argument leads to no picture.
struct InputError: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
}
