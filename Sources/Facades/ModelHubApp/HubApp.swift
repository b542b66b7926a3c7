import Foundation
import ModelHub
import SightlineLocks

/// The program's hub. The names of ML Kit and Firebase, which know a single app per program, find remote models on it.
///
/// ```swift
/// HubApp.configure()                     // GoogleService-Info.plist, with MODEL_HUB_URL
/// HubApp.configure(options: options)     // or your own options
/// ```
///
/// An app that keeps Google's Firebase calls `HubApp.configure()` after Google's `FirebaseApp.configure()`. The
/// `FirebaseApp` in Sightline's package of Firebase names configures both.
///
/// No call ends the program. The first configuration wins. If the configuration is incomplete, requests for models fail
/// with an error that names the missing value.
public enum HubApp {
    private static let models = Mutex<Result<ModelManager, HubAppError>>(.failure(.notConfigured(reason: nil)))

    /// Configures the program's hub with the `GoogleService-Info.plist` in its resources; on Linux this is the file
    /// beside the program.
    ///
    /// Without that file there is no hub, and requests for models fail with an error that explains this.
    public static func configure() {
        guard let options = HubAppOptions.defaultOptions() else {
            configure(.failure(.notConfigured(reason: HubAppOptions.noDefaultOptions)))
            return
        }
        configure(options: options)
    }

    /// Configures the program's hub.
    public static func configure(options: HubAppOptions) { configure(options.modelManager(app: "of the program")) }

    /// Configures the program's hub with a model manager, or with an error.
    public static func configure(_ manager: Result<ModelManager, HubAppError>) {
        models.withLock { models in
            if case .failure(.notConfigured) = models { models = manager }
        }
    }

    /// Forgets the program's hub, so that it can be configured again. Downloaded models stay.
    public static func forget() {
        models.withLock { $0 = .failure(.notConfigured(reason: nil)) }
    }

    /// The manager that downloads and stores the models of the program's hub.
    ///
    /// - Throws: ``HubAppError`` if no hub is configured, or if its options lack a value.
    public static func modelManager() throws(HubAppError) -> ModelManager { try models.withLock(\.self).get() }
}
