/// A person in the hub's own API.
package struct PersonResource: Codable, Sendable {
    /// The role of a person.
    package struct Grant: Codable, Sendable {
        /// The id of the project; nil for the whole hub.
        package var project: String?
        package var role: String
        /// The name of the person on pages of the project.
        package var displayName: String
        /// RFC 3339.
        package var createTime: String
        /// RFC 3339; nil for no end.
        package var expireTime: String?

        /// Creates a role.
        package init(
            project: String?,
            role: String,
            displayName: String,
            createTime: String,
            expireTime: String?
        ) {
            self.project = project
            self.role = role
            self.displayName = displayName
            self.createTime = createTime
            self.expireTime = expireTime
        }
    }

    package var address: String
    /// The roles that the caller may see.
    package var roles: [Grant]

    /// Creates a person.
    package init(address: String, roles: [Grant]) {
        self.address = address
        self.roles = roles
    }
}

/// A page of people, by address.
package struct PersonPage: Codable, Sendable {
    package var people: [PersonResource]
    /// Set if there are more.
    package var nextPageToken: String?

    /// Creates a page.
    package init(people: [PersonResource], nextPageToken: String?) {
        self.people = people
        self.nextPageToken = nextPageToken
    }
}

/// A role to grant.
package struct GrantInput: Codable, Sendable {
    package var role: String
    /// The name of the person on pages of the project; nil for the present name.
    package var displayName: String?

    /// Creates an input.
    package init(role: String, displayName: String? = nil) {
        self.role = role
        self.displayName = displayName
    }
}

/// A link that signs a person in once.
package struct SignInLinkResource: Codable, Sendable {
    /// The path and query to append to the hub's address.
    package var path: String

    /// Creates a link.
    package init(path: String) { self.path = path }
}
