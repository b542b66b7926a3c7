import Foundation
import ModelHub

/// What a Firebase app is told about its project: the content of `GoogleService-Info.plist`, and where its hub is.
///
/// ```swift
/// let options = FirebaseOptions(contentsOfFile: "GoogleService-Info.plist")
/// options?.modelHub = URL(string: "https://models.example.org")
/// ```
///
/// A configured app keeps a copy of its options.
public final class FirebaseOptions: NSObject, NSCopying {
    var values: Values

    /// What the options are, as a value.
    struct Values: Sendable, Hashable {
        var googleAppID = ""
        var gcmSenderID = ""
        var apiKey: String?
        var bundleID = ""
        var clientID: String?
        var projectID: String?
        var databaseURL: String?
        var storageBucket: String?
        var modelHub: URL?
        /// The address of the hub as the file has it where that is none.
        var invalidHub: String?
        var modelFolder: URL?
        var retry = RetryPolicy()
    }

    /// `GOOGLE_APP_ID`: the app's id, such as `1:123456789:ios:0a1b2c`.
    public var googleAppID: String {
        get { values.googleAppID }
        set { values.googleAppID = newValue }
    }
    /// `GCM_SENDER_ID`: the project's number.
    public var gcmSenderID: String {
        get { values.gcmSenderID }
        set { values.gcmSenderID = newValue }
    }
    /// `API_KEY`: the key that the hub gave out for apps. Models cannot be downloaded without.
    public var apiKey: String? {
        get { values.apiKey }
        set { values.apiKey = newValue }
    }
    /// `BUNDLE_ID`: the bundle identifier that is sent along; at first that of the running program.
    public var bundleID: String {
        get { values.bundleID }
        set { values.bundleID = newValue }
    }
    /// `CLIENT_ID`: kept for the app; nothing here needs it.
    public var clientID: String? {
        get { values.clientID }
        set { values.clientID = newValue }
    }
    /// `PROJECT_ID`: the project's id. Models cannot be downloaded without.
    public var projectID: String? {
        get { values.projectID }
        set { values.projectID = newValue }
    }
    /// `DATABASE_URL`: kept for the app; nothing here needs it.
    public var databaseURL: String? {
        get { values.databaseURL }
        set { values.databaseURL = newValue }
    }
    /// `STORAGE_BUCKET`: kept for the app; nothing here needs it.
    public var storageBucket: String? {
        get { values.storageBucket }
        set { values.storageBucket = newValue }
    }
    /// `MODEL_HUB_URL`: the address of the hub that hosts the models, such as `https://models.example.org`; nil for the one
    /// that the environment variable `SIGHTLINE_HUB` names. Firebase's options have no such property.
    public var modelHub: URL? {
        get { values.modelHub }
        set {
            values.modelHub = newValue
            values.invalidHub = nil
        }
    }
    /// Where downloaded models are kept; nil for a folder of the hub and the project, as `ModelManager` of the module
    /// `ModelHub` has it. Firebase's options have no such property. Apps of one project may share a folder.
    public var modelFolder: URL? {
        get { values.modelFolder }
        set { values.modelFolder = newValue }
    }
    /// How often a request to the hub is repeated.
    package var retry: RetryPolicy {
        get { values.retry }
        set { values.retry = newValue }
    }

    init(_ values: Values) { self.values = values }

    /// Options by the two values that every app has.
    ///
    /// - Parameters:
    ///   - googleAppID: the app's id.
    ///   - gcmSenderID: the project's number.
    public init(googleAppID: String, gcmSenderID: String) {
        values = Values()
        values.googleAppID = googleAppID
        values.gcmSenderID = gcmSenderID
        values.bundleID = Bundle.main.bundleIdentifier ?? ""
    }

    /// What a property list says.
    ///
    /// - Parameter plistPath: a `GoogleService-Info.plist` as the Firebase console writes it, with `MODEL_HUB_URL` added if
    ///   `SIGHTLINE_HUB` is not to be set.
    /// - Returns: nil if there is no such file or it holds no dictionary.
    public convenience init?(contentsOfFile plistPath: String) {
        guard let data = try? Data(contentsOf: URL(filePath: plistPath)),
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any],
            !list.isEmpty
        else { return nil }
        self.init(Values(propertyList: list))
    }

    /// What the `GoogleService-Info.plist` among the program's resources says: on Linux the one beside the program.
    ///
    /// - Returns: nil if there is none.
    public static func defaultOptions() -> FirebaseOptions? {
        Bundle.main.path(forResource: "GoogleService-Info", ofType: "plist").flatMap(
            FirebaseOptions.init(contentsOfFile:)
        )
    }

    /// Other options with the same values.
    public func copy(with zone: NSZone? = nil) -> Any { FirebaseOptions(values) }

    /// Whether another object is options with the same values.
    public override func isEqual(_ object: Any?) -> Bool { (object as? FirebaseOptions)?.values == values }

    /// Equal for equal options.
    public override var hash: Int { values.hashValue }
}

extension FirebaseOptions.Values {
    /// What a `GoogleService-Info.plist` holds; what is no text is passed over.
    fileprivate init(propertyList: [String: Any]) {
        func text(_ key: String) -> String? { (propertyList[key] as? String).flatMap { $0.isEmpty ? nil : $0 } }
        googleAppID = text("GOOGLE_APP_ID") ?? ""
        gcmSenderID = text("GCM_SENDER_ID") ?? ""
        apiKey = text("API_KEY")
        bundleID = text("BUNDLE_ID") ?? Bundle.main.bundleIdentifier ?? ""
        clientID = text("CLIENT_ID")
        projectID = text("PROJECT_ID")
        databaseURL = text("DATABASE_URL")
        storageBucket = text("STORAGE_BUCKET")
        if let address = text("MODEL_HUB_URL") {
            modelHub = Self.hub(address)
            if modelHub == nil { invalidHub = address }
        }
    }

    /// The address of a hub; nil if the text is none.
    static func hub(_ text: String) -> URL? {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            url.host()?.isEmpty == false
        else { return nil }
        return url
    }
}
