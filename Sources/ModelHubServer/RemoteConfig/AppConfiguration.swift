/// The result of a look-up by an API key.
package struct AppConfiguration: Sendable, Hashable {
    /// The project of the key.
    package var project: Project
    /// The etag of the newest client template; nil if there is none.
    package var etag: String?
    /// The state of the key, which may have expired.
    package var key: CredentialState
}
