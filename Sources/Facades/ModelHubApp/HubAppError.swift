import Foundation

/// Why an app has no models of a hub.
public enum HubAppError: Error, Sendable, Hashable {
    /// The program has no hub; `reason` says why it could not be configured, if the program tried.
    case notConfigured(reason: String?)
    /// The options lack a value.
    case missing(key: String, app: String)
    /// The options name no hub.
    case noHub(app: String)
    /// The text that should be the address of a hub is none.
    case invalidHub(String, app: String)
}

extension HubAppError: CustomStringConvertible, LocalizedError {
    /// One sentence: what, where, and what to do.
    public var description: String {
        switch self {
        case .notConfigured(nil):
            "No app is configured; call FirebaseApp.configure() or HubApp.configure() before models are asked for."
        case .notConfigured(let reason?):
            "The app could not be configured: \(reason); put it there or call configure(options:)."
        case .missing(let key, let app):
            "The options of the app \(app) lack \(key); add it to GoogleService-Info.plist."
        case .noHub(let app):
            "The options of the app \(app) name no hub; add MODEL_HUB_URL to GoogleService-Info.plist or set SIGHTLINE_HUB."
        case .invalidHub(let text, let app):
            "The hub of the app \(app), \"\(text)\", is not an http or https address; correct MODEL_HUB_URL or SIGHTLINE_HUB."
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }
}
