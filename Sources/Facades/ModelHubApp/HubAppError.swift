import Foundation

/// A reason why an app cannot use the models of a hub.
public enum HubAppError: Error, Sendable, Hashable {
    /// The program has no hub; `reason` is the error of the attempt to configure it, if any.
    case notConfigured(reason: String?)
    /// The options lack a value.
    case missing(key: String, app: String)
    /// The options contain no address of a hub.
    case noHub(app: String)
    /// The text is not a valid address of a hub.
    case invalidHub(String, app: String)
    /// The trusted keys cannot be read; `reason` is the whole sentence about them.
    case invalidTrustedKeys(reason: String, app: String)
}

extension HubAppError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure, its place, and the next step.
    public var description: String {
        switch self {
        case .notConfigured(nil):
            "No app is configured; call FirebaseApp.configure() or HubApp.configure() before you request models."
        case .notConfigured(let reason?):
            "The app could not be configured: \(reason); add the file or call configure(options:)."
        case .missing(let key, let app):
            "The options of the app \(app) lack \(key); add it to GoogleService-Info.plist."
        case .noHub(let app):
            "The options of the app \(app) have no hub address; add MODEL_HUB_URL to GoogleService-Info.plist or set SIGHTLINE_HUB."
        case .invalidHub(let text, let app):
            "The hub of the app \(app), \"\(text)\", is not an http or https address; correct MODEL_HUB_URL or SIGHTLINE_HUB."
        case .invalidTrustedKeys(let reason, let app): "In MODEL_HUB_TRUSTED_KEYS of the app \(app): \(reason)"
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }
}
