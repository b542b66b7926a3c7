import Sightline

/// Pictures and videos in folders whose formats the command does not read.
struct SkippedFiles: Sendable, Equatable {
    private var pictures: [String: Int] = [:]
    private var videos: [String: Int] = [:]

    /// Whether there are skipped pictures.
    var hasPictures: Bool { !pictures.isEmpty }
    /// Whether no file was skipped.
    var isEmpty: Bool { pictures.isEmpty && videos.isEmpty }

    /// Counts a file if it is a picture or a video.
    ///
    /// - Parameter fileType: the extension of its name, which may be empty.
    mutating func count(_ kind: FileKind, fileType: String) {
        let type = fileType.uppercased()
        switch kind {
        case .otherPicture: pictures[type.isEmpty ? "picture" : type, default: 0] += 1
        case .video: videos[type.isEmpty ? "video" : type, default: 0] += 1
        case .picture, .other: break
        }
    }

    /// Adds the files of another folder.
    mutating func add(_ other: SkippedFiles) {
        pictures.merge(other.pictures, uniquingKeysWith: +)
        videos.merge(other.videos, uniquingKeysWith: +)
    }

    /// A sentence with the skipped files and the next step, for example `Skipped 8 DNG and 2 MOV files: convert …`.
    var sentence: String {
        var advice: [String] = []
        if !pictures.isEmpty { advice.append("convert pictures to JPEG or PNG") }
        if !videos.isEmpty { advice.append("`sightline track` reads videos") }
        return "Skipped \(text): \(advice.joined(separator: "; "))."
    }

    /// The counts by format, most frequent first, for example `8 DNG and 1 PSD files`.
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

extension String {
    /// The extension of a file's name, without the dot; empty if there is no dot.
    var fileType: String { lastIndex(of: ".").map { String(self[index(after: $0)...]) } ?? "" }
}
