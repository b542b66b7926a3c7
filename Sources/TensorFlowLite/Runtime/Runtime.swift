import Foundation

/// The inference runtime that interpreters use.
public enum Runtime {
    /// The runtime's version, for example "2.3.0"; "unknown" if the version cannot be found or there is no runtime.
    ///
    /// The library itself does not contain its version. The version comes from the single line of the file
    /// `libLiteRt.version` beside it, or from the end of its folder's name, `litert-2.3.0`.
    public static var version: String {
        guard let path = try? RuntimeLibrary.shared().path else { return unknown }
        return version(ofLibraryAt: path)
    }

    /// Opens the library if it is not open yet.
    ///
    /// - Throws: ``RuntimeError`` when the library is missing or does not fit.
    public static func load() throws(RuntimeError) {
        _ = try RuntimeLibrary.shared()
    }

    static func version(ofLibraryAt path: String) -> String {
        let folder = URL(filePath: path).deletingLastPathComponent()
        if let text = try? String(contentsOf: folder.appending(path: "libLiteRt.version"), encoding: .utf8) {
            let line = text.trimmingCharacters(in: .whitespacesAndNewlines)
            if !line.isEmpty { return line }
        }
        let name = folder.lastPathComponent
        return name.hasPrefix("litert-") ? String(name.dropFirst("litert-".count)) : unknown
    }

    private static let unknown = "unknown"
}
