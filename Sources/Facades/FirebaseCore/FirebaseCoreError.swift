import Foundation

/// Why the models of an app cannot be had; as `NSError` of the domain `com.firebase.core`, with codes of google.rpc.
package enum FirebaseCoreError: Error, Sendable, Hashable {
    /// There is no default app; `reason` says why it could not be configured, if anyone tried.
    case notConfigured(reason: String?)
    /// The options lack a value.
    case missing(key: String, app: String)
    /// Nothing says where the hub is.
    case noHub(app: String)
    /// What should be the address of a hub is none.
    case invalidHub(String, app: String)
}

extension FirebaseCoreError: CustomStringConvertible, LocalizedError {
    /// One sentence: what, where, and what to do.
    package var description: String {
        switch self {
        case .notConfigured(nil):
            "The default Firebase app is not configured; call FirebaseApp.configure() before models are asked for."
        case .notConfigured(let reason?):
            "The default Firebase app could not be configured: \(reason); put it there or call configure(options:)."
        case .missing(let key, let app):
            "The options of the Firebase app \(app) lack \(key); add it to GoogleService-Info.plist."
        case .noHub(let app):
            "The Firebase app \(app) knows no hub; add MODEL_HUB_URL to GoogleService-Info.plist or set SIGHTLINE_HUB."
        case .invalidHub(let text, let app):
            "The hub of the Firebase app \(app), \"\(text)\", is not an http or https address; correct MODEL_HUB_URL or "
                + "SIGHTLINE_HUB."
        }
    }

    /// The same sentence.
    package var errorDescription: String? { description }
}

extension FirebaseCoreError: CustomNSError {
    /// That of Firebase's own errors of configuration.
    package static var errorDomain: String { "com.firebase.core" }

    /// 3, invalid argument, for an address that is none; otherwise 9, failed precondition.
    package var errorCode: Int {
        if case .invalidHub = self { 3 } else { 9 }
    }

    /// The sentence.
    package var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
