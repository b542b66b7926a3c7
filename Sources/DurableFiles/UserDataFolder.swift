import Foundation

/// The folders for data, by the XDG Base Directory Specification.
///
/// Everything that keeps data follows this rule.
package enum UserDataFolder {
    /// The folder in `XDG_DATA_HOME`; nil if the variable is not set or not an absolute path. The specification
    /// requires programs to ignore relative paths.
    package static func named(in environment: [String: String]) -> URL? {
        guard let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") else { return nil }
        return URL(filePath: path, directoryHint: .isDirectory)
    }

    /// The user's data folder: the path in `XDG_DATA_HOME`, otherwise `.local/share` in the home folder.
    package static func ofUser(environment: [String: String] = ProcessInfo.processInfo.environment) -> URL {
        if let folder = named(in: environment) { return folder }
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
        return URL(filePath: home, directoryHint: .isDirectory).appending(path: ".local/share")
    }

    /// The folders for data of all users, the most important first: those in `XDG_DATA_DIRS`, otherwise
    /// `/usr/local/share` and `/usr/share`.
    package static func ofSystem(environment: [String: String] = ProcessInfo.processInfo.environment) -> [URL] {
        let list = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
        return list.split(separator: ":").filter { $0.hasPrefix("/") }
            .map { URL(filePath: String($0), directoryHint: .isDirectory) }
    }
}
