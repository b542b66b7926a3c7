import Foundation
import ModelHub
import Synchronization

/// The program's hub: where the names of ML Kit and Firebase, which know one app in a program, find remote models.
///
/// ```swift
/// HubApp.configure()                     // GoogleService-Info.plist, with MODEL_HUB_URL
/// HubApp.configure(options: options)     // or options that are made otherwise
/// ```
///
/// An app that keeps Google's Firebase calls `HubApp.configure()` after Google's `FirebaseApp.configure()`. The `FirebaseApp` of
/// Sightline's package of Firebase names configures both.
///
/// Nothing here ends the program. The first configuration stands, and a request for a model fails with an error that says what is
/// missing.
public enum HubApp {
    private static let models = Mutex<Result<ModelManager, HubAppError>>(.failure(.notConfigured(reason: nil)))

    /// Configures the program's hub with the `GoogleService-Info.plist` among its resources: on Linux the one beside the program.
    ///
    /// Without that file there is no hub. A request for a model then fails with an error that says so.
    public static func configure() {
        guard let options = HubAppOptions.defaultOptions() else {
            configure(.failure(.notConfigured(reason: HubAppOptions.noDefaultOptions)))
            return
        }
        configure(options: options)
    }

    /// Configures the program's hub.
    public static func configure(options: HubAppOptions) { configure(options.modelManager(app: "of the program")) }

    /// Configures the program's hub with a model manager, or with the reason why there is none.
    public static func configure(_ manager: Result<ModelManager, HubAppError>) {
        models.withLock { models in
            if case .failure(.notConfigured) = models { models = manager }
        }
    }

    /// Forgets the program's hub, so that it can be configured anew. Downloaded models stay.
    public static func forget() {
        models.withLock { $0 = .failure(.notConfigured(reason: nil)) }
    }

    /// Downloads and keeps the models of the program's hub.
    ///
    /// - Throws: ``HubAppError`` if no hub is configured, or if its options lack a value.
    public static func modelManager() throws(HubAppError) -> ModelManager { try models.withLock(\.self).get() }
}
