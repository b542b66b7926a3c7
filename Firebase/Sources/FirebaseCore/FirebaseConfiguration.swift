import Foundation

/// Settings of all Firebase apps of the program.
#if canImport(ObjectiveC)
    @objc(FIRConfiguration) @objcMembers
#endif
public final class FirebaseConfiguration: NSObject, Sendable {
    /// The settings of the program.
    #if canImport(ObjectiveC)
        @objc(sharedInstance)
    #endif
    public static let shared = FirebaseConfiguration()

    private override init() {}

    /// Does nothing, because this package writes no log.
    ///
    /// - Parameter loggerLevel: The least important level that Firebase would log.
    public func setLoggerLevel(_ loggerLevel: FirebaseLoggerLevel) {}
}

/// The importance of a line in Firebase's log. Raw values are those of Firebase.
#if canImport(ObjectiveC)
    @objc(FIRLoggerLevel)
#endif
public enum FirebaseLoggerLevel: Int, Sendable {
    /// Errors only.
    case error = 3
    /// Warnings and errors.
    case warning = 4
    /// Notices too.
    case notice = 5
    /// Information too.
    case info = 6
    /// Everything.
    case debug = 7

    /// The lowest level: errors.
    public static let min = FirebaseLoggerLevel.error
    /// The highest level: everything.
    public static let max = FirebaseLoggerLevel.debug
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The version of Firebase that these names come from.
public func FirebaseVersion() -> String { "6.25.0" }
