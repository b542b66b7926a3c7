import Foundation

/// Which model something was made with.
package struct ModelSummary: Sendable {
    /// The file's name.
    package let name: String
    /// The file.
    package let url: URL
    /// The bytes that were read from it, whatever became of the file since.
    package let data: Data

    init(_ files: ModelFiles) {
        name = files.name
        url = files.url
        data = files.model.data
    }
}
