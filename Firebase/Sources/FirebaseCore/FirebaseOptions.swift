import Foundation
import ModelHubApp

/// The project of a Firebase app: the contents of `GoogleService-Info.plist`, and the address of the hub.
///
/// ```swift
/// let options = FirebaseOptions(contentsOfFile: "GoogleService-Info.plist")
/// options?.modelHub = URL(string: "https://models.example.org")
/// ```
///
/// A configured app keeps a copy of its options.
#if canImport(ObjectiveC)
    @objc(FIROptions) @objcMembers
#endif
public final class FirebaseOptions: NSObject, NSCopying {
    package var values: Values

    /// The options as a value.
    package struct Values: Sendable, Hashable {
        /// The values that downloads of models need.
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
    #if canImport(ObjectiveC)
        @objc(GCMSenderID)
    #endif
    public var gcmSenderID: String {
        get { values.gcmSenderID }
        set { values.gcmSenderID = newValue }
    }
    /// `API_KEY`: the key that the hub issued for apps. Downloads of models need it.
    #if canImport(ObjectiveC)
        @objc(APIKey)
    #endif
    public var apiKey: String? {
        get { values.hub.apiKey }
        set { values.hub.apiKey = newValue }
    }
    /// `BUNDLE_ID`: the bundle identifier in requests; the default is that of the running program.
    public var bundleID: String {
        get { values.hub.bundleID }
        set { values.hub.bundleID = newValue }
    }
    /// `PROJECT_ID`: the project's id. Downloads of models need it.
    public var projectID: String? {
        get { values.hub.projectID }
        set { values.hub.projectID = newValue }
    }
    /// `MODEL_HUB_URL`: the address of the hub, such as `https://models.example.org`; nil for the address in the
    /// environment variable `SIGHTLINE_HUB`. Firebase's options have no such property.
    public var modelHub: URL? {
        get { values.hub.modelHub }
        set { values.hub.modelHub = newValue }
    }
    /// The folder for downloaded models; nil for a folder for the hub and the project, as for `ModelManager` of the
    /// module `ModelHub`. Apps of the same project may share a folder. Firebase's options have no such property.
    public var modelFolder: URL? {
        get { values.hub.modelFolder }
        set { values.hub.modelFolder = newValue }
    }
    /// `CLIENT_ID`: kept for the app; this package does not use it.
    public var clientID: String? {
        get { values.clientID }
        set { values.clientID = newValue }
    }
    /// `ANDROID_CLIENT_ID`: kept for the app; this package does not use it.
    public var androidClientID: String? {
        get { values.androidClientID }
        set { values.androidClientID = newValue }
    }
    /// `TRACKING_ID`: kept for the app; this package does not use it.
    public var trackingID: String? {
        get { values.trackingID }
        set { values.trackingID = newValue }
    }
    /// The app group that the app's extensions share: kept for the app; this package does not use it.
    public var appGroupID: String? {
        get { values.appGroupID }
        set { values.appGroupID = newValue }
    }
    /// The URL scheme of deep links: kept for the app; this package does not use it.
    public var deepLinkURLScheme: String? {
        get { values.deepLinkURLScheme }
        set { values.deepLinkURLScheme = newValue }
    }
    /// `DATABASE_URL`: kept for the app; this package does not use it.
    public var databaseURL: String? {
        get { values.databaseURL }
        set { values.databaseURL = newValue }
    }
    /// `STORAGE_BUCKET`: kept for the app; this package does not use it.
    public var storageBucket: String? {
        get { values.storageBucket }
        set { values.storageBucket = newValue }
    }

    package init(_ values: Values) { self.values = values }

    /// Creates options from the two values that every app has.
    ///
    /// - Parameters:
    ///   - googleAppID: The app's id.
    ///   - gcmSenderID: The project's number.
    #if canImport(ObjectiveC)
        @objc(initWithGoogleAppID:GCMSenderID:)
    #endif
    public init(googleAppID: String, gcmSenderID: String) {
        values = Values()
        values.hub.googleAppID = googleAppID
        values.gcmSenderID = gcmSenderID
    }

    /// Creates options from a property list.
    ///
    /// - Parameter plistPath: A `GoogleService-Info.plist` as written by the Firebase console, with `MODEL_HUB_URL`
    ///   added unless `SIGHTLINE_HUB` is set.
    /// - Returns: Nil if the file does not exist or contains no dictionary.
    public convenience init?(contentsOfFile plistPath: String) {
        guard let list = HubAppOptions.propertyList(atPath: plistPath) else { return nil }
        self.init(Values(propertyList: list))
    }

    /// The options in the program's own `GoogleService-Info.plist`; on Linux this is the file beside the program.
    ///
    /// - Returns: Nil if there is no such file.
    public static func defaultOptions() -> FirebaseOptions? {
        HubAppOptions.defaultPath.flatMap(FirebaseOptions.init(contentsOfFile:))
    }

    /// Creates options with the same values.
    public func copy(with zone: NSZone? = nil) -> Any { FirebaseOptions(values) }

    /// Whether another object is options with the same values.
    public override func isEqual(_ object: Any?) -> Bool { (object as? FirebaseOptions)?.values == values }

    /// Equal for equal options.
    public override var hash: Int { values.hashValue }
}

extension FirebaseOptions.Values {
    /// Reads the contents of a `GoogleService-Info.plist`; values that are not text are ignored.
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
