#if canImport(ObjectiveC)
    import Foundation

    /// ``HubApp`` for Objective-C, which has no enumerations with functions.
    @available(swift, obsoleted: 1)
    @objc(SightlineHubApp)
    public final class ObjectiveCHubApp: NSObject {
        private override init() {}

        /// Configures the program's hub with the `GoogleService-Info.plist` in its resources.
        @objc public static func configure() { HubApp.configure() }

        /// Configures the program's hub with a property list.
        ///
        /// - Parameter path: A file such as `GoogleService-Info.plist`.
        /// - Returns: False if the file does not exist or contains no dictionary; then the hub is not configured.
        @objc(configureWithContentsOfFile:)
        public static func configure(contentsOfFile path: String) -> Bool {
            guard let options = HubAppOptions(contentsOfFile: path) else { return false }
            HubApp.configure(options: options)
            return true
        }
    }
#endif
