/// The files that count as videos in folders.
enum VideoFile {
    private static let extensions: Set<String> = [
        "mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "mts", "m2ts", "3gp", "wmv", "flv",
    ]

    /// Whether a name has the extension of a video.
    static func isVideo(_ name: String) -> Bool { isExtension(name.fileType) }

    /// Whether a text is the extension of videos, in upper or lower case and without the dot.
    static func isExtension(_ text: String) -> Bool { extensions.contains(text.lowercased()) }
}

extension String {
    /// The extension of a file's name, without the dot; empty if there is no dot.
    var fileType: String { lastIndex(of: ".").map { String(self[index(after: $0)...]) } ?? "" }
}
