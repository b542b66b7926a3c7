import Foundation

/// The folder for files that programs can make again, by the XDG Base Directory Specification.
package enum UserCacheFolder {
    /// The user's cache folder: the path in `XDG_CACHE_HOME`, otherwise `.cache` in the home folder, or the system's folder for caches
    /// on Apple systems. The specification requires programs to ignore relative paths.
    package static func ofUser(environment: [String: String] = ProcessInfo.processInfo.environment) -> URL {
        if let path = environment["XDG_CACHE_HOME"], path.hasPrefix("/") {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        #if canImport(Darwin)
            let folders = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
            if let folder = folders.first { return folder }
        #endif
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
        return URL(filePath: home, directoryHint: .isDirectory).appending(path: ".cache")
    }
}
