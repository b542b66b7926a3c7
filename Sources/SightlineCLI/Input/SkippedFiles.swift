import Sightline

/// Files of folders that are pictures or videos, but not of a kind that the command reads.
struct SkippedFiles: Sendable, Equatable {
    private var pictures: [String: Int] = [:]
    private var videos: [String: Int] = [:]

    private static let pictureTypes = ImageFormat.otherExtensions
    private static let videoTypes: Set<String> = [
        "mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "mts", "m2ts", "3gp", "wmv", "flv",
    ]

    /// Whether pictures were skipped.
    var hasPictures: Bool { !pictures.isEmpty }
    /// Whether anything was skipped.
    var isEmpty: Bool { pictures.isEmpty && videos.isEmpty }

    /// Counts a file if its extension says that it is a picture or a video.
    mutating func count(fileType: String) {
        let type = fileType.lowercased()
        if Self.pictureTypes.contains(type) { pictures[type.uppercased(), default: 0] += 1 }
        if Self.videoTypes.contains(type) { videos[type.uppercased(), default: 0] += 1 }
    }

    /// Adds what another folder had.
    mutating func add(_ other: SkippedFiles) {
        pictures.merge(other.pictures, uniquingKeysWith: +)
        videos.merge(other.videos, uniquingKeysWith: +)
    }

    /// What was skipped and what to do about it, for example `skipped 8 HEIC and 2 MOV files: convert …`.
    var sentence: String {
        var advice: [String] = []
        if !pictures.isEmpty { advice.append("convert pictures to JPEG or PNG") }
        if !videos.isEmpty { advice.append("`sightline track` reads videos") }
        return "skipped \(text): \(advice.joined(separator: "; "))."
    }

    /// For example `8 HEIC and 1 GIF files`, the most frequent kind first.
    var text: String {
        let counts = (pictures.sorted(by: Self.precedes) + videos.sorted(by: Self.precedes))
            .map { "\($0.value) \($0.key)" }
        let list =
            counts.count < 2
            ? counts.joined() : counts.dropLast().joined(separator: ", ") + " and " + counts[counts.count - 1]
        return list + (pictures.values.reduce(0, +) + videos.values.reduce(0, +) == 1 ? " file" : " files")
    }

    private static func precedes(_ first: (key: String, value: Int), _ second: (key: String, value: Int)) -> Bool {
        first.value == second.value ? first.key < second.key : first.value > second.value
    }
}
