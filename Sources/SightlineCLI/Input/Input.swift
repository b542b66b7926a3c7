import Foundation
import Sightline

/// A picture of the command line, or the reason why an argument has none.
struct Input: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// The file at this path.
        case file(path: String)
        /// The bytes on standard input.
        case standardInput
        /// There is no picture; the sentence has the reason.
        case failure(String)
    }

    /// The path from the command line or a folder, as ``FileName`` writes it; `-` for standard input.
    let name: String
    /// The path below the folder argument; nil for a picture that the command line names.
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

    /// Opens the picture and reads only its header.
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

/// The reason why an argument has no picture.
struct InputError: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
}
