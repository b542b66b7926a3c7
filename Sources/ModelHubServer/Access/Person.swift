/// A person with roles in the hub. A person exists as long as there is a role.
package struct Person: Sendable, Hashable {
    /// The role of a person in a project or in the hub.
    package struct Grant: Sendable, Hashable {
        /// The id of the project; nil for the whole hub.
        package var project: String?
        /// The rights of the person there.
        package var role: Role
        /// The name of the person on pages of the project, so that no project learns names from others.
        package var displayName: String
        /// The time at which the role was granted.
        package var createTime: Timestamp
        /// The token that granted the role, and with which it ends.
        package var bound: PowerBound = .endless

        /// Whether the role lasts until it is removed.
        var isLasting: Bool { bound == .endless }
    }

    /// The name in commands and in the audit log, like an address of mail, in lower case.
    package var address: String
    /// The roles that are valid now.
    package var grants: [Grant] = []

    /// The grant for a project, or for the whole hub if the project is nil.
    package func grant(in project: String?) -> Grant? { grants.first { $0.project == project } }

    /// The maximum number of people with a role in a project, and of administrators.
    package static let maximumCountOfProject = 500
    /// The maximum number of people in a hub.
    package static let maximumCountOfHub = 10_000

    /// A valid address in lower case.
    ///
    /// - Throws: `.invalidArgument` unless the text looks like an address of mail.
    static func address(_ text: String) throws(HubError) -> String {
        let address = text.lowercased()
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        let isValid =
            parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && address.utf8.count <= 120
            && address.utf8.allSatisfy {
                (97...122).contains($0) || (48...57).contains($0) || "@.-_+".utf8.contains($0)
            }
        guard isValid else {
            throw HubError(
                .invalidArgument,
                "\"\(text.prefix(120))\" is not the address of a person; use one such as ada@example.com, with letters, digits and . - _ +."
            )
        }
        return address
    }

    /// A valid display name.
    ///
    /// - Throws: `.invalidArgument` unless the text has 1 to 80 characters, and no control characters.
    static func displayName(_ text: String) throws(HubError) -> String {
        let name = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let isPlain = name.unicodeScalars.allSatisfy {
            $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
        }
        guard (1...80).contains(name.count), name.utf8.count <= 320, isPlain else {
            throw HubError(.invalidArgument, "A display name has 1 to 80 characters, without control characters.")
        }
        return name
    }
}
