import Foundation
import ModelHub

/// The address of a hub and the credentials of an app: the part of `GoogleService-Info.plist` that downloads of models
/// need.
///
/// ```swift
/// var options = HubAppOptions(contentsOfFile: "GoogleService-Info.plist")
/// options?.modelHub = URL(string: "https://models.example.org")
/// ```
public struct HubAppOptions: Sendable, Hashable {
    /// `GOOGLE_APP_ID`: the app's id, such as `1:123456789:ios:0a1b2c`; empty if there is no id.
    public var googleAppID = ""
    /// `API_KEY`: the key that the hub issued for apps. Downloads need it.
    public var apiKey: String?
    /// `PROJECT_ID`: the project's id. Downloads need it.
    public var projectID: String?
    /// `BUNDLE_ID`: the bundle identifier in requests; the default is that of the running program.
    public var bundleID = Bundle.main.bundleIdentifier ?? ""
    /// `MODEL_HUB_URL`: the address of the hub, such as `https://models.example.org`; nil for the address in the
    /// environment variable `SIGHTLINE_HUB`.
    public var modelHub: URL? {
        didSet { invalidHub = nil }
    }
    /// The folder for downloaded models; nil for a folder for the hub and the project, as for `ModelManager` of the
    /// module `ModelHub`. Apps of the same project may share a folder.
    public var modelFolder: URL?
    /// `MODEL_HUB_TRUSTED_KEYS`: the keys of which one must sign a model before the app installs it, as for
    /// `ModelHubConfiguration` of the module `ModelHub`; empty to install every version that the hub offers.
    public var trustedKeys: [TrustedKey] = [] {
        didSet { invalidTrustedKeys = nil }
    }
    /// The policy for repeating requests to the hub.
    public var retry = RetryPolicy()
    /// The text in the file if it is not a valid address.
    private var invalidHub: String?
    /// The reason why the trusted keys in the file cannot be read. The app then gets no models, rather than unsigned ones.
    private var invalidTrustedKeys: String?

    /// Creates options without values.
    public init() {}

    /// Creates options from the contents of a `GoogleService-Info.plist`. Values that are not text are ignored, except those of
    /// `MODEL_HUB_TRUSTED_KEYS`: if they cannot be read, there is no model manager.
    public init(propertyList: [String: Any]) {
        func text(_ key: String) -> String? { (propertyList[key] as? String).flatMap { $0.isEmpty ? nil : $0 } }
        googleAppID = text("GOOGLE_APP_ID") ?? ""
        apiKey = text("API_KEY")
        projectID = text("PROJECT_ID")
        if let bundleID = text("BUNDLE_ID") { self.bundleID = bundleID }
        if let address = text("MODEL_HUB_URL") {
            modelHub = Self.hub(address)
            if modelHub == nil { invalidHub = address }
        }
        do throws(ConfigurationError) {
            trustedKeys = try TrustedKey.list(propertyList[TrustedKey.propertyListKey])
        } catch {
            invalidTrustedKeys = error.description
        }
    }

    /// Creates options from a property list.
    ///
    /// - Parameter plistPath: A `GoogleService-Info.plist` as written by the Firebase console, with `MODEL_HUB_URL`
    ///   added unless `SIGHTLINE_HUB` is set.
    /// - Returns: Nil if the file does not exist or contains no dictionary.
    public init?(contentsOfFile plistPath: String) {
        guard let list = Self.propertyList(atPath: plistPath) else { return nil }
        self.init(propertyList: list)
    }

    /// The contents of a property list; nil if the file does not exist or contains no dictionary.
    public static func propertyList(atPath path: String) -> [String: Any]? {
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any],
            !list.isEmpty
        else { return nil }
        return list
    }

    /// The path of the `GoogleService-Info.plist` in the program's resources; nil if there is no such file.
    public static var defaultPath: String? { Bundle.main.path(forResource: "GoogleService-Info", ofType: "plist") }

    /// Options from the `GoogleService-Info.plist` in the program's resources; nil if there is no such file.
    public static func defaultOptions() -> HubAppOptions? { defaultPath.flatMap(HubAppOptions.init(contentsOfFile:)) }

    /// The reason why there are no default options.
    public static var noDefaultOptions: String {
        "there is no readable GoogleService-Info.plist in \(Bundle.main.resourcePath ?? Bundle.main.bundlePath)"
    }
}

extension HubAppOptions {
    /// Creates the model manager.
    ///
    /// - Parameter app: The app's name in errors.
    /// - Returns: The manager, or an error that names the missing or invalid value.
    public func modelManager(app: String) -> Result<ModelManager, HubAppError> {
        Result { () throws(HubAppError) in
            guard let projectID, !projectID.isEmpty else { throw .missing(key: "PROJECT_ID", app: app) }
            guard let apiKey, !apiKey.isEmpty else { throw .missing(key: "API_KEY", app: app) }
            if let invalidTrustedKeys { throw .invalidTrustedKeys(reason: invalidTrustedKeys, app: app) }
            var configuration = ModelHubConfiguration(
                hub: try hub(app: app),
                projectID: projectID,
                apiKey: apiKey,
                appID: googleAppID.isEmpty ? nil : googleAppID,
                bundleID: bundleID.isEmpty ? nil : bundleID,
                trustedKeys: trustedKeys
            )
            // Code with these names gives the file to an interpreter of TensorFlow Lite.
            configuration.readsONNX = false
            return ModelManager(configuration: configuration, folder: modelFolder, retry: retry)
        }
    }

    /// The hub in the options, otherwise the hub in the environment.
    private func hub(app: String) throws(HubAppError) -> URL {
        if let modelHub { return modelHub }
        guard let text = invalidHub ?? ProcessInfo.processInfo.environment["SIGHTLINE_HUB"], !text.isEmpty else {
            throw .noHub(app: app)
        }
        guard let url = Self.hub(text) else { throw .invalidHub(text, app: app) }
        return url
    }

    /// The address of a hub; nil if the text is not a valid address.
    private static func hub(_ text: String) -> URL? {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            url.host()?.isEmpty == false
        else { return nil }
        return url
    }
}
