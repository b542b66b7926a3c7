import Foundation

/// The address of a hub, and the credentials of an app.
///
/// ```swift
/// let configuration = try ModelHubConfiguration(contentsOf: URL(filePath: "hub.json"))
/// ```
public struct ModelHubConfiguration: Sendable, Hashable {
    /// The hub's address, such as `https://models.example.org`.
    public var hub: URL
    /// The id or the number of the project.
    public var projectID: String
    /// The API key that the hub issued for apps.
    public var apiKey: String
    /// The app's id, such as `1:123456789:ios:0a1b2c`. The app registers with it if the project requires installations.
    public var appID: String?
    /// The bundle identifier to send with requests, if any.
    public var bundleID: String?
    /// A PEM file of certificates to trust in addition to those of the system, for a hub with its own certificate
    /// authority.
    public var trustedRoots: URL?
    /// The keys of which one must sign a model before the app installs it; empty to install every version that the hub offers.
    ///
    /// While a key takes the place of another, the app trusts both. A key that is no longer among them signs nothing more.
    public var trustedKeys: [TrustedKey]
    /// Whether the app can use ONNX models. An app with the names of ML Kit or Firebase expects TensorFlow Lite alone, and for it a hub
    /// has no other models.
    public var readsONNX = true
    /// The longest time without data from the hub.
    package var idleTimeout = Duration.seconds(60)
    /// The seconds by which the clock for manifests is ahead of the system's clock, for tests.
    package var clockOffset = 0.0

    /// Creates a configuration from its parts.
    public init(
        hub: URL,
        projectID: String,
        apiKey: String,
        appID: String? = nil,
        bundleID: String? = nil,
        trustedRoots: URL? = nil,
        trustedKeys: [TrustedKey] = []
    ) {
        self.hub = hub
        self.projectID = projectID
        self.apiKey = apiKey
        self.appID = appID
        self.bundleID = bundleID
        self.trustedRoots = trustedRoots
        self.trustedKeys = trustedKeys
    }

    /// Reads a configuration from a `GoogleService-Info.plist`, or from JSON with `hub`, `projectID`, `apiKey` and the
    /// optional keys `appID`, `bundleID`, `trustedRoots` (a path relative to the folder of the file) and `trustedKeys` (a list of
    /// texts, see ``TrustedKey/init(_:)``).
    ///
    /// A property list has `PROJECT_ID`, `API_KEY`, `GOOGLE_APP_ID` and `BUNDLE_ID`, as written by the Firebase
    /// console. It contains no address of a hub: pass the address here, or add it to the list under the key
    /// `MODEL_HUB_URL`. The key for trusted roots is `MODEL_HUB_TRUSTED_ROOTS`, that for trusted keys `MODEL_HUB_TRUSTED_KEYS`.
    ///
    /// - Parameters:
    ///   - file: The property list or the JSON file.
    ///   - hub: The hub's address; nil for the address in the file.
    /// - Throws: ``ConfigurationError``. Trusted keys that cannot be read are an error, so that a mistake in them never turns the check
    ///   of signatures off.
    public init(contentsOf file: URL, hub: URL? = nil) throws(ConfigurationError) {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw .unreadable(path: file.path, reason: "it cannot be opened")
        }
        let isJSON = data.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
        let content = isJSON ? try? JSONSerialization.jsonObject(with: data) : Self.propertyList(data)
        guard let values = content as? [String: Any] else {
            throw .unreadable(path: file.path, reason: "it is neither a property list nor a JSON object")
        }
        func value(_ json: String, _ list: String) throws(ConfigurationError) -> String {
            let key = isJSON ? json : list
            guard let text = values[key] as? String, !text.isEmpty else { throw .missing(key: key, path: file.path) }
            return text
        }
        if let hub {
            self.hub = hub
        } else {
            let text = try value("hub", "MODEL_HUB_URL")
            guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
                ["http", "https"].contains(scheme)
            else { throw .unreadable(path: file.path, reason: "\"\(text)\" is not the address of a hub") }
            self.hub = url
        }
        projectID = try value("projectID", "PROJECT_ID")
        apiKey = try value("apiKey", "API_KEY")
        appID = values[isJSON ? "appID" : "GOOGLE_APP_ID"] as? String
        bundleID = values[isJSON ? "bundleID" : "BUNDLE_ID"] as? String
        let roots = values[isJSON ? "trustedRoots" : "MODEL_HUB_TRUSTED_ROOTS"] as? String
        trustedRoots = roots.map { URL(filePath: $0, relativeTo: file).absoluteURL }
        trustedKeys = try TrustedKey.list(values[isJSON ? "trustedKeys" : TrustedKey.propertyListKey])
    }

    private static func propertyList(_ data: Data) -> Any? {
        try? PropertyListSerialization.propertyList(from: data, format: nil)
    }
}

/// A reason why a configuration cannot be read.
public enum ConfigurationError: Error, Sendable, Hashable {
    /// The file does not exist or has the wrong format.
    case unreadable(path: String, reason: String)
    /// The file lacks a required key.
    case missing(key: String, path: String)
    /// A text is not the public part of a key that signs models.
    case invalidTrustedKey(String)
}

extension ConfigurationError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure, its place, and the next step.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason):
            "The configuration \(path) cannot be used: \(reason); use a GoogleService-Info.plist or a JSON file."
        case .missing(let key, let path):
            "The configuration \(path) lacks \"\(key)\"; add it as text."
        case .invalidTrustedKey(let text):
            "\"\(text.prefix(60))\" in the trusted keys is not the public part of a signing key; use a list of texts of 43 characters, as "
                + "`sightline hub key create --signing` prints them."
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }
}
