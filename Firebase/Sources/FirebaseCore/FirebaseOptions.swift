import Foundation
import ModelHubApp

/// What a Firebase app is told about its project: the content of `GoogleService-Info.plist`, and where its hub is.
///
/// ```swift
/// let options = FirebaseOptions(contentsOfFile: "GoogleService-Info.plist")
/// options?.modelHub = URL(string: "https://models.example.org")
/// ```
///
/// A configured app keeps a copy of its options.
public final class FirebaseOptions: NSObject, NSCopying {
    package var values: Values

    /// What the options are, as a value.
    package struct Values: Sendable, Hashable {
        /// What downloads of models need.
        package var hub = HubAppOptions()
        var gcmSenderID = ""
        var clientID: String?
        var androidClientID: String?
        var trackingID: String?
        var appGroupID: String?
        var deepLinkURLScheme: String?
        var databaseURL: String?
        var storageBucket: String?
    }

    /// `GOOGLE_APP_ID`: the app's id, such as `1:123456789:ios:0a1b2c`.
    public var googleAppID: String {
        get { values.hub.googleAppID }
        set { values.hub.googleAppID = newValue }
    }
    /// `GCM_SENDER_ID`: the project's number.
    public var gcmSenderID: String {
        get { values.gcmSenderID }
        set { values.gcmSenderID = newValue }
    }
    /// `API_KEY`: the key that the hub gave out for apps. Models cannot be downloaded without.
    public var apiKey: String? {
        get { values.hub.apiKey }
        set { values.hub.apiKey = newValue }
    }
    /// `BUNDLE_ID`: the bundle identifier that is sent along; at first that of the running program.
    public var bundleID: String {
        get { values.hub.bundleID }
        set { values.hub.bundleID = newValue }
    }
    /// `PROJECT_ID`: the project's id. Models cannot be downloaded without.
    public var projectID: String? {
        get { values.hub.projectID }
        set { values.hub.projectID = newValue }
    }
    /// `MODEL_HUB_URL`: the address of the hub that hosts the models, such as `https://models.example.org`; nil for the one
    /// that the environment variable `SIGHTLINE_HUB` names. Firebase's options have no such property.
    public var modelHub: URL? {
        get { values.hub.modelHub }
        set { values.hub.modelHub = newValue }
    }
    /// Where downloaded models are kept; nil for a folder of the hub and the project, as `ModelManager` of the module
    /// `ModelHub` has it. Firebase's options have no such property. Apps of one project may share a folder.
    public var modelFolder: URL? {
        get { values.hub.modelFolder }
        set { values.hub.modelFolder = newValue }
    }
    /// `CLIENT_ID`: kept for the app; nothing here needs it.
    public var clientID: String? {
        get { values.clientID }
        set { values.clientID = newValue }
    }
    /// `ANDROID_CLIENT_ID`: kept for the app; nothing here needs it.
    public var androidClientID: String? {
        get { values.androidClientID }
        set { values.androidClientID = newValue }
    }
    /// `TRACKING_ID`: kept for the app; nothing here needs it.
    public var trackingID: String? {
        get { values.trackingID }
        set { values.trackingID = newValue }
    }
    /// The app group that extensions of the app share: kept for the app; nothing here needs it.
    public var appGroupID: String? {
        get { values.appGroupID }
        set { values.appGroupID = newValue }
    }
    /// The URL scheme of deep links: kept for the app; nothing here needs it.
    public var deepLinkURLScheme: String? {
        get { values.deepLinkURLScheme }
        set { values.deepLinkURLScheme = newValue }
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

    package init(_ values: Values) { self.values = values }

    /// Options by the two values that every app has.
    ///
    /// - Parameters:
    ///   - googleAppID: the app's id.
    ///   - gcmSenderID: the project's number.
    public init(googleAppID: String, gcmSenderID: String) {
        values = Values()
        values.hub.googleAppID = googleAppID
        values.gcmSenderID = gcmSenderID
    }

    /// What a property list says.
    ///
    /// - Parameter plistPath: a `GoogleService-Info.plist` as the Firebase console writes it, with `MODEL_HUB_URL` added if
    ///   `SIGHTLINE_HUB` is not to be set.
    /// - Returns: nil if there is no such file or it holds no dictionary.
    public convenience init?(contentsOfFile plistPath: String) {
        guard let list = HubAppOptions.propertyList(atPath: plistPath) else { return nil }
        self.init(Values(propertyList: list))
    }

    /// What the `GoogleService-Info.plist` among the program's resources says: on Linux the one beside the program.
    ///
    /// - Returns: nil if there is none.
    public static func defaultOptions() -> FirebaseOptions? {
        HubAppOptions.defaultPath.flatMap(FirebaseOptions.init(contentsOfFile:))
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
        hub = HubAppOptions(propertyList: propertyList)
        gcmSenderID = text("GCM_SENDER_ID") ?? ""
        clientID = text("CLIENT_ID")
        androidClientID = text("ANDROID_CLIENT_ID")
        trackingID = text("TRACKING_ID")
        databaseURL = text("DATABASE_URL")
        storageBucket = text("STORAGE_BUCKET")
    }
}
