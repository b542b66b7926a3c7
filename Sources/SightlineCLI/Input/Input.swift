import CommandLineSupport
import Dispatch
import Foundation
import ModelCatalog
import Sightline

/// A picture of the command line, or the reason why an argument has none.
struct Input: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// The file at this path.
        case file(path: String)
        /// The bytes behind this http or https address.
        case address(String)
        /// The bytes on standard input.
        case standardInput
        /// The bytes of a frame.
        case bytes(Data)
        /// There is no picture; the sentence has the reason.
        case failure(String)
    }

    /// The path from the command line or a folder, as ``FileName`` writes it; `-` for standard input.
    let name: String
    /// The path below the folder argument; nil for a picture that the command line names, or if it has several folders.
    let nameInFolder: String?
    let content: Content

    /// The picture's name in results.
    var printedName: String { FileName.printed(name) }

    /// A relative path for files that belong to the picture: the path below the only folder argument, otherwise the path on the
    /// command line without parts that lead out of a folder.
    var relativePath: String {
        guard name != "-" else { return "stdin" }
        return FileName.printed(nameInFolder ?? name).split(separator: "/").filter { $0 != "." && $0 != ".." }
            .joined(separator: "/")
    }

    static func file(_ path: String, nameInFolder: String? = nil) -> Input {
        Input(name: path, nameInFolder: nameInFolder, content: .file(path: path))
    }

    /// A picture on the web. Its path has the host instead of the whole address.
    ///
    /// - Parameter name: the picture's name in results; nil for the address.
    static func address(_ address: String, name: String? = nil) -> Input {
        let parts = URLComponents(string: address)
        let path = (parts?.host ?? "") + (parts?.path ?? "")
        return Input(name: name ?? address, nameInFolder: path, content: .address(address))
    }

    /// Whether an argument is an address that the command reads.
    static func isAddress(_ argument: String) -> Bool {
        ["http://", "https://"].contains { argument.lowercased().hasPrefix($0) }
    }

    static func bytes(_ data: Data, name: String) -> Input {
        Input(name: name, nameInFolder: nil, content: .bytes(data))
    }

    static let standardInput = Input(name: "-", nameInFolder: nil, content: .standardInput)

    static func failure(_ name: String, _ reason: String) -> Input {
        Input(name: name, nameInFolder: nil, content: .failure(reason))
    }

    /// Opens the picture and reads only its header.
    ///
    /// - Parameter limits: the largest picture to accept.
    func open(limits: ImageLimits) async throws -> VisionImage {
        switch content {
        case .file(let path):
            try FileName.withPath(path) { try VisionImage(atPath: $0, name: FileName.printed(path), limits: limits) }
        case .address(let address):
            try await VisionImage(data: Self.read(address, atMost: limits.maximumBytes), limits: limits)
        case .standardInput:
            try await VisionImage(data: StandardInput.readPicture(atMost: limits.maximumBytes), limits: limits)
        case .bytes(let data): try VisionImage(data: data, limits: limits)
        case .failure(let reason): throw InputError(reason: reason)
        }
    }

    /// Reads a picture on the web, on a thread that may wait for the network.
    private static func read(_ address: String, atMost maximum: Int) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try WebFile.read(address, atMost: maximum) })
            }
        }
    }
}
