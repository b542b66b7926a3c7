import Foundation
import ModelHub

/// Where a hub is, and how an app identifies itself there: the part of `GoogleService-Info.plist` that downloads of models need.
///
/// ```swift
/// var options = HubAppOptions(contentsOfFile: "GoogleService-Info.plist")
/// options?.modelHub = URL(string: "https://models.example.org")
/// ```
public struct HubAppOptions: Sendable, Hashable {
    /// `GOOGLE_APP_ID`: the app's id, such as `1:123456789:ios:0a1b2c`; empty for none.
    public var googleAppID = ""
    /// `API_KEY`: the key that the hub gave out for apps. Downloads need it.
    public var apiKey: String?
    /// `PROJECT_ID`: the project's id. Downloads need it.
    public var projectID: String?
    /// `BUNDLE_ID`: the bundle identifier that requests carry; at first that of the running program.
    public var bundleID = Bundle.main.bundleIdentifier ?? ""
    /// `MODEL_HUB_URL`: the address of the hub, such as `https://models.example.org`; nil for the one that the environment variable
    /// `SIGHTLINE_HUB` names.
    public var modelHub: URL? {
        didSet { invalidHub = nil }
    }
    /// The folder for downloaded models; nil for a folder of the hub and the project, as `ModelManager` of the module `ModelHub` has
    /// it. Apps of one project may share a folder.
    public var modelFolder: URL?
    /// How often a request to the hub is repeated.
    public var retry = RetryPolicy()
    /// The address of the hub as the file has it, if it is no address.
    private var invalidHub: String?

    /// Options without values.
    public init() {}

    /// Options from the content of a `GoogleService-Info.plist`. Values that are not text are left out.
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
    }

    /// Options from a property list.
    ///
    /// - Parameter plistPath: a `GoogleService-Info.plist` as the Firebase console writes it, with `MODEL_HUB_URL` added unless
    ///   `SIGHTLINE_HUB` is set.
    /// - Returns: nil if there is no such file, or if it holds no dictionary.
    public init?(contentsOfFile plistPath: String) {
        guard let list = Self.propertyList(atPath: plistPath) else { return nil }
        self.init(propertyList: list)
    }

    /// The content of a property list; nil if there is no such file, or if it holds no dictionary.
    public static func propertyList(atPath path: String) -> [String: Any]? {
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any],
            !list.isEmpty
        else { return nil }
        return list
    }

    /// The path of the `GoogleService-Info.plist` among the program's resources; nil if there is none.
    public static var defaultPath: String? { Bundle.main.path(forResource: "GoogleService-Info", ofType: "plist") }

    /// Options from the `GoogleService-Info.plist` among the program's resources; nil if there is none.
    public static func defaultOptions() -> HubAppOptions? { defaultPath.flatMap(HubAppOptions.init(contentsOfFile:)) }

    /// Why there are no default options.
    public static var noDefaultOptions: String {
        "there is no GoogleService-Info.plist that can be read in \(Bundle.main.resourcePath ?? Bundle.main.bundlePath)"
    }
}

extension HubAppOptions {
    /// Makes what downloads and keeps the models.
    ///
    /// - Parameter app: the app's name in errors.
    /// - Returns: the manager, or which value is missing or wrong.
    public func modelManager(app: String) -> Result<ModelManager, HubAppError> {
        Result { () throws(HubAppError) in
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
    }

    /// The hub that the options name, otherwise that of the environment.
    private func hub(app: String) throws(HubAppError) -> URL {
        if let modelHub { return modelHub }
        guard let text = invalidHub ?? ProcessInfo.processInfo.environment["SIGHTLINE_HUB"], !text.isEmpty else {
            throw .noHub(app: app)
        }
        guard let url = Self.hub(text) else { throw .invalidHub(text, app: app) }
        return url
    }

    /// The address of a hub; nil if the text is none.
    private static func hub(_ text: String) -> URL? {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            url.host()?.isEmpty == false
        else { return nil }
        return url
    }
}
