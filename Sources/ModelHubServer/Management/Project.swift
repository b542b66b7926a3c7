/// A project, which owns models, credentials and uploads.
package struct Project: Sendable, Hashable, Codable {
    /// The id: 6 to 30 lower-case letters, digits and hyphens, beginning with a letter.
    package var id: String
    /// The number, which clients may use instead of the id; 0 until the store assigns one.
    package var number: Int64 = 0
    /// The time of its creation.
    package var createTime: Timestamp
    /// The maximum size of its files in bytes; nil for no limit.
    package var quota: Int?
    /// Whether a download requires an installation token in addition to the API key.
    package var requiresInstallation = false
}

extension Project {
    /// Checks what a new project is to be called.
    ///
    /// - Throws: ``HubError`` with `invalidArgument` if the id or the number cannot be those of a project.
    package static func check(id: String, number: Int64?) throws(HubError) {
        let letters = id.utf8
        let isValid =
            (6...30).contains(letters.count) && letters.first.map { (97...122).contains($0) } == true
            && letters.last != 45
            && letters.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
        guard isValid else {
            throw HubError(
                .invalidArgument,
                "\"\(id)\" cannot be the id of a project; use 6 to 30 lower-case letters, digits and hyphens, beginning with a letter."
            )
        }
        if let number, !(1..<1_000_000_000_000_000).contains(number) {
            throw HubError(
                .invalidArgument,
                "\(number) cannot be the number of a project; Firebase's console shows it in the settings of the project, up to 15 digits."
            )
        }
    }
}
