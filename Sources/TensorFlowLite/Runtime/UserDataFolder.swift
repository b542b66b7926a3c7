import Foundation

/// The folder that programs keep a user's data in, by the XDG Base Directory Specification.
///
/// Lives in the lowest module, so that everything that keeps data follows one rule.
package enum UserDataFolder {
    /// The folder that `XDG_DATA_HOME` names; nil if the variable is not set or names no absolute path, which the
    /// specification has programs ignore.
    package static func named(in environment: [String: String]) -> URL? {
        guard let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") else { return nil }
        return URL(filePath: path, directoryHint: .isDirectory)
    }

    /// The folder of the user: the one that `XDG_DATA_HOME` names, otherwise `.local/share` in the home folder.
    package static func ofUser(environment: [String: String] = ProcessInfo.processInfo.environment) -> URL {
        if let folder = named(in: environment) { return folder }
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
        return URL(filePath: home, directoryHint: .isDirectory).appending(path: ".local/share")
    }
}
