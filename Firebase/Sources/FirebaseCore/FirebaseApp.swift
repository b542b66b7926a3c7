import FacadeSupport
import Foundation
import ModelHub
import ModelHubApp
import Synchronization

/// What is told of the end of a task that succeeds or fails.
public typealias FirebaseAppVoidBoolCallback = @MainActor (_ success: Bool) -> Void

/// An app of a Firebase project, which here is a project of a hub.
///
/// ```swift
/// FirebaseApp.configure()                     // GoogleService-Info.plist
/// FirebaseApp.configure(options: options)     // or options that are made otherwise
/// ```
///
/// Firebase ends the program when an app is configured twice, wrongly or not at all. Here nothing does: the first
/// configuration stands, and what needs an app that is missing fails with an error that says why it is.
///
/// The hub of the default app is that of the program, which ML Kit's names use too: `HubApp` of the module `ModelHubApp`.
public final class FirebaseApp: NSObject, Sendable {
    /// The name under which it was configured; `__FIRAPP_DEFAULT` for the default app.
    public let name: String

    private let values: FirebaseOptions.Values
    /// Made once, so that all who ask for a model share its transfer.
    private let manager: Result<ModelManager, HubAppError>
    private let dataCollection = Atomic(false)

    /// A copy of what the app was configured with.
    public var options: FirebaseOptions { FirebaseOptions(values) }

    /// False until the app sets it. Sightline collects nothing, whether it is true or false.
    public var isDataCollectionDefaultEnabled: Bool {
        get { dataCollection.load(ordering: .relaxed) }
        set { dataCollection.store(newValue, ordering: .relaxed) }
    }

    private init(name: String, values: FirebaseOptions.Values) {
        self.name = name
        self.values = values
        manager = values.hub.modelManager(app: name)
    }

    // MARK: - Configuring

    /// The name of the default app.
    static let defaultName = "__FIRAPP_DEFAULT"

    private static let apps = Mutex<[String: FirebaseApp]>([:])

    /// Configures the default app with ``FirebaseOptions/defaultOptions()``.
    ///
    /// Without that file there is no default app; what needs one says so in its error.
    public static func configure() {
        guard let options = FirebaseOptions.defaultOptions() else {
            HubApp.configure(.failure(.notConfigured(reason: HubAppOptions.noDefaultOptions)))
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
    public static func app() -> FirebaseApp? { app(name: defaultName) }

    /// The app of a name; nil before it is configured.
    public static func app(name: String) -> FirebaseApp? { apps.withLock { $0[name] } }

    /// All apps by their names; nil if there are none.
    public static var allApps: [String: FirebaseApp]? {
        apps.withLock { $0.isEmpty ? nil : $0 }
    }

    /// Forgets the app, so that it can be configured anew. Downloaded models stay.
    ///
    /// - Parameter completion: called on the main queue; with false if the app was forgotten already.
    @preconcurrency
    public func delete(_ completion: @escaping FirebaseAppVoidBoolCallback) {
        let isDeleted = remove()
        MainQueue.async { completion(isDeleted) }
    }

    /// Forgets the app, so that it can be configured anew. Downloaded models stay.
    ///
    /// - Returns: false if the app was forgotten already.
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

    /// What downloads and keeps the models of the app: one for each app.
    ///
    /// - Throws: `HubAppError` if the options do not say enough.
    package func modelManager() throws(HubAppError) -> ModelManager { try manager.get() }
}
