import Foundation

/// Settings of all Firebase apps of the program.
public final class FirebaseConfiguration: NSObject, Sendable {
    /// The settings of the program.
    public static let shared = FirebaseConfiguration()

    private override init() {}

    /// Does nothing, since nothing here writes a log.
    ///
    /// - Parameter loggerLevel: the least important level that Firebase would log.
    public func setLoggerLevel(_ loggerLevel: FirebaseLoggerLevel) {}
}

/// How important a line of Firebase's log is. Raw values are those of Firebase.
public enum FirebaseLoggerLevel: Int, Sendable {
    /// Errors alone.
    case error = 3
    /// Warnings and errors.
    case warning = 4
    /// Notices too.
    case notice = 5
    /// Information too.
    case info = 6
    /// Everything.
    case debug = 7

    /// The least that can be logged: errors.
    public static let min = FirebaseLoggerLevel.error
    /// The most that can be logged: everything.
    public static let max = FirebaseLoggerLevel.debug
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The version of Firebase whose names these are.
public func FirebaseVersion() -> String { "6.25.0" }
