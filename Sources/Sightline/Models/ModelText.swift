import Foundation

/// The text files beside and inside models: labels, sidecars and manifests. Their size is bounded, since reading takes many times the
/// memory of the text.
enum ModelText {
    /// The largest number of bytes: the names of ImageNet's 21,843 classes take a fourth of it.
    static let maximumBytes = 4 << 20

    /// A text that is too long, or cannot be read.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads a file, and no more than the largest number of bytes of it.
    static func content(of file: URL) throws -> Data {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        guard let content = try? handle.read(upToCount: maximumBytes + 1) ?? Data() else {
            throw Failure(description: "it is a folder, or its disk failed")
        }
        return try checked(content)
    }

    /// The same bytes, if they are few enough.
    static func checked(_ content: Data) throws(Failure) -> Data {
        guard content.count <= maximumBytes else {
            throw Failure(description: "it has more than \(maximumBytes >> 20) MB, the largest size")
        }
        return content
    }
}
