import FacadeSupport
import Foundation
import ModelHub
import ModelHubApp
import SightlineLocks

/// Receives whether a task succeeded.
public typealias FirebaseAppVoidBoolCallback = @MainActor (_ success: Bool) -> Void

/// An app of a Firebase project, which here is a project on a hub.
///
/// ```swift
/// FirebaseApp.configure()                     // GoogleService-Info.plist
/// FirebaseApp.configure(options: options)     // or your own options
/// ```
///
/// Firebase ends the program if an app is configured twice, incorrectly or not at all. Here no call ends the program:
/// the first configuration wins, and operations that need a missing app fail with an error that explains why it is
/// missing.
///
/// The hub of the default app is the hub of the program, which ML Kit's names use too: `HubApp` of the module
/// `ModelHubApp`.
#if canImport(ObjectiveC)
    @objc(FIRApp) @objcMembers
#endif
public final class FirebaseApp: NSObject, Sendable {
    /// The name of the app; `__FIRAPP_DEFAULT` for the default app.
    public let name: String

    private let values: FirebaseOptions.Values
    /// Created once, so that all requests for a model share its transfer.
    private let manager: Result<ModelManager, HubAppError>
    private let dataCollection = Mutex(false)

    /// A copy of the app's options.
    public var options: FirebaseOptions { FirebaseOptions(values) }

    /// False by default. Sightline collects no data in either case.
    @nonobjc
    public var isDataCollectionDefaultEnabled: Bool {
        get { dataCollection.withLock { $0 } }
        set { dataCollection.withLock { $0 = newValue } }
    }

    private init(name: String, values: FirebaseOptions.Values) {
        self.name = name
        self.values = values
        manager = values.hub.modelManager(app: name)
    }

    // MARK: - Configuration

    /// The name of the default app.
    static let defaultName = "__FIRAPP_DEFAULT"

    private static let apps = Mutex<[String: FirebaseApp]>([:])

    /// Configures the default app with ``FirebaseOptions/defaultOptions()``.
    ///
    /// Without that file there is no default app; operations that need it fail with an error that explains this.
    public static func configure() {
        guard let options = FirebaseOptions.defaultOptions() else {
            HubApp.configure(.failure(.notConfigured(reason: HubAppOptions.noDefaultOptions)))
            return
        }
        configure(options: options)
    }

    /// Configures the default app.
    ///
    /// - Parameter options: Copied. If the app is already configured, the first options stay in use.
    public static func configure(options: FirebaseOptions) { configure(name: defaultName, options: options) }

    /// Configures an app in addition to the default app.
    ///
    /// - Parameters:
    ///   - name: Letters, digits, hyphens and underscores; with other characters the app is not created.
    ///   - options: Copied. If the app is already configured, the first options stay in use.
    public static func configure(name: String, options: FirebaseOptions) {
        let values = options.values
        apps.withLock { apps in
            guard isValid(name), apps[name] == nil else { return }
            let app = FirebaseApp(name: name, values: values)
            apps[name] = app
            if name == defaultName { HubApp.configure(app.manager) }
        }
    }

    private static func isValid(_ name: String) -> Bool {
        !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
    }

    /// The default app; nil before it is configured.
    #if canImport(ObjectiveC)
        @objc(defaultApp)
    #endif
    public static func app() -> FirebaseApp? { app(name: defaultName) }

    /// The app with the given name; nil before it is configured.
    #if canImport(ObjectiveC)
        @objc(appNamed:)
    #endif
    public static func app(name: String) -> FirebaseApp? { apps.withLock { $0[name] } }

    /// All apps by name; nil if there are none.
    public static var allApps: [String: FirebaseApp]? {
        apps.withLock { $0.isEmpty ? nil : $0 }
    }

    /// Forgets the app, so that it can be configured again. Downloaded models stay.
    ///
    /// - Parameter completion: Called on the main queue, with false if the app was already forgotten.
    #if canImport(ObjectiveC)
        @objc(deleteApp:)
    #endif
    @preconcurrency
    public func delete(_ completion: @escaping FirebaseAppVoidBoolCallback) {
        let isDeleted = remove()
        MainQueue.async { completion(isDeleted) }
    }

    /// Forgets the app, so that it can be configured again. Downloaded models stay.
    ///
    /// - Returns: False if the app was already forgotten.
    @nonobjc
    @discardableResult
    public func delete() async -> Bool { remove() }

    private func remove() -> Bool {
        Self.apps.withLock { apps in
            guard apps[name] === self else { return false }
            apps[name] = nil
            if name == Self.defaultName { HubApp.forget() }
            return true
        }
    }

    // MARK: - Models

    /// The manager that downloads and stores the app's models. Each app has a single manager.
    ///
    /// - Throws: `HubAppError` if the options lack a value.
    package func modelManager() throws(HubAppError) -> ModelManager { try manager.get() }
}
