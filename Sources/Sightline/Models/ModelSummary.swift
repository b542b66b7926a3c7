import Foundation

/// The model with which a detector or labeler was made.
package struct ModelSummary: Sendable {
    /// The file's name.
    package let name: String
    /// The file.
    package let url: URL
    /// The bytes that were read from the file, even if the file has changed since.
    package let data: Data

    init(_ files: ModelFiles) {
        name = files.name
        url = files.url
        data = files.model.data
    }
}
