import Dispatch
import Foundation
import ModelHub
import Synchronization

/// An app of a Firebase project, which here is a project of a hub.
///
/// ```swift
/// FirebaseApp.configure()                     // GoogleService-Info.plist
/// FirebaseApp.configure(options: options)     // or options that are made otherwise
/// ```
///
/// Firebase ends the program when an app is configured twice, wrongly or not at all. Here nothing does: the first
/// configuration stands, and what needs an app that is missing fails with an error that says why it is.
public final class FirebaseApp: Sendable {
    /// The name under which it was configured; `__FIRAPP_DEFAULT` for the default app.
    public let name: String

    private let values: FirebaseOptions.Values
    /// Made once, so that all who ask for a model share its transfer.
    private let manager: Result<ModelManager, FirebaseCoreError>

    /// A copy of what the app was configured with.
    public var options: FirebaseOptions { FirebaseOptions(values) }

    private init(name: String, values: FirebaseOptions.Values) {
        self.name = name
        self.values = values
        manager = Result { () throws(FirebaseCoreError) in try values.makeManager(app: name) }
    }

    // MARK: - Configuring

    /// The name of the default app.
    static let defaultName = "__FIRAPP_DEFAULT"

    private struct Registry {
        var apps: [String: FirebaseApp] = [:]
        /// Why an app could not be configured, by its name.
        var problems: [String: String] = [:]
    }

    private static let registry = Mutex(Registry())

    /// Configures the default app with ``FirebaseOptions/defaultOptions()``.
    ///
    /// Without that file there is no default app; what needs one says so in its error.
    public static func configure() {
        guard let options = FirebaseOptions.defaultOptions() else {
            let place = Bundle.main.resourcePath ?? Bundle.main.bundlePath
            let problem = "there is no GoogleService-Info.plist that can be read in \(place)"
            registry.withLock { $0.problems[defaultName] = problem }
            return
        }
        configure(options: options)
    }

    /// Configures the default app.
    ///
    /// - Parameter options: copied. Of an app that is configured already the first options stand.
    public static func configure(options: FirebaseOptions) { configure(name: defaultName, options: options) }

    /// Configures an app beside the default one.
    ///
    /// - Parameters:
    ///   - name: letters, digits, hyphens and underscores; with another there will be no such app.
    ///   - options: copied. Of an app that is configured already the first options stand.
    public static func configure(name: String, options: FirebaseOptions) {
        let values = options.values
        registry.withLock { registry in
            guard isValid(name) else {
                registry.problems[name] = "its name may have only letters, digits, hyphens and underscores"
                return
            }
            guard registry.apps[name] == nil else { return }
            registry.apps[name] = FirebaseApp(name: name, values: values)
            registry.problems[name] = nil
        }
    }

    private static func isValid(_ name: String) -> Bool {
        !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
    }

    /// The default app; nil before it is configured.
    public static func app() -> FirebaseApp? { app(name: defaultName) }

    /// The app of a name; nil before it is configured.
    public static func app(name: String) -> FirebaseApp? { registry.withLock { $0.apps[name] } }

    /// All apps by their names; nil if there are none.
    public static var allApps: [String: FirebaseApp]? {
        registry.withLock { $0.apps.isEmpty ? nil : $0.apps }
    }

    /// Forgets the app, so that it can be configured anew. Downloaded models stay.
    ///
    /// - Parameter completion: called on the main queue; with false if the app was forgotten already.
    @preconcurrency
    public func delete(_ completion: @escaping @MainActor (Bool) -> Void) {
        let isDeleted = remove()
        DispatchQueue.main.async { completion(isDeleted) }
    }

    /// Forgets the app, so that it can be configured anew. Downloaded models stay.
    ///
    /// - Returns: false if the app was forgotten already.
    @discardableResult
    public func delete() async -> Bool { remove() }

    private func remove() -> Bool {
        Self.registry.withLock { registry in
            guard registry.apps[name] === self else { return false }
            registry.apps[name] = nil
            return true
        }
    }

    // MARK: - Models

    /// What downloads and keeps the models of the app: one for each app.
    ///
    /// - Throws: ``FirebaseCoreError`` if the options do not say enough.
    package func modelManager() throws(FirebaseCoreError) -> ModelManager { try manager.get() }

    /// What downloads and keeps the models of the default app.
    ///
    /// - Throws: ``FirebaseCoreError`` if there is none, or if its options do not say enough.
    package static func defaultModelManager() throws(FirebaseCoreError) -> ModelManager {
        guard let app = app() else {
            throw .notConfigured(reason: registry.withLock { $0.problems[defaultName] })
        }
        return try app.modelManager()
    }
}

extension FirebaseOptions.Values {
    fileprivate func makeManager(app: String) throws(FirebaseCoreError) -> ModelManager {
        guard let projectID, !projectID.isEmpty else { throw .missing(key: "PROJECT_ID", app: app) }
        guard let apiKey, !apiKey.isEmpty else { throw .missing(key: "API_KEY", app: app) }
        let configuration = ModelHubConfiguration(
            hub: try hub(app: app),
            projectID: projectID,
            apiKey: apiKey,
            appID: googleAppID.isEmpty ? nil : googleAppID,
            bundleID: bundleID.isEmpty ? nil : bundleID
        )
        return ModelManager(configuration: configuration, folder: modelFolder, retry: retry)
    }

    /// The hub that the options name, otherwise that of the environment.
    private func hub(app: String) throws(FirebaseCoreError) -> URL {
        if let modelHub { return modelHub }
        guard let text = invalidHub ?? ProcessInfo.processInfo.environment["SIGHTLINE_HUB"], !text.isEmpty else {
            throw .noHub(app: app)
        }
        guard let url = Self.hub(text) else { throw .invalidHub(text, app: app) }
        return url
    }
}
