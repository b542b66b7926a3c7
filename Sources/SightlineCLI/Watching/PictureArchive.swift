import Foundation

/// Pictures of a camera's events in a folder, of which the oldest go.
///
/// A picture has the name of its date and its event, such as `2026-11-25T22-31-05.123Z-entered-12.jpg`. Other files of the folder stay.
/// The functions wait for the disk, so that they are called on `FileExecutor`.
actor PictureArchive {
    /// The folder, and how much stays in it.
    struct Options: Sendable, Hashable {
        /// The path of the folder.
        let folder: String
        /// How long a picture stays.
        var keepingTime = Duration.seconds(7 * 86_400)
        /// The largest number of pictures.
        var maximumCount = 1000
    }

    private let options: Options
    /// The names of the pictures, oldest first; nil before the folder was read.
    private var names: [String]?

    init(_ options: Options) { self.options = options }

    /// Writes a picture, and removes old ones.
    ///
    /// - Parameters:
    ///   - jpeg: the picture.
    ///   - event: the name of the event and the identity, with a hyphen between them.
    ///   - date: the date of the event.
    func add(_ jpeg: Data, of event: String, at date: Date) throws {
        var known = try names ?? Self.pictures(in: options.folder)
        let name = "\(Self.text(date))-\(event).jpg"
        try PictureFile.write(jpeg, to: "\(options.folder)/\(name)", createsFolder: true)
        known.append(name)
        let oldest = Self.text(date.addingTimeInterval(-(options.keepingTime / .seconds(1))))
        while let first = known.first, known.count > options.maximumCount || first < oldest {
            try? FileManager.default.removeItem(atPath: "\(options.folder)/\(first)")
            known.removeFirst()
        }
        names = known
    }

    private static func pictures(in folder: String) throws -> [String] {
        guard InputSequence.isFolder(folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[A-Za-z]+-\d+\.jpg/) != nil }
            .sorted()
    }

    /// The date in UTC, so that names sort by time; without colons, which some systems refuse in names.
    private static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)).replacing(":", with: "-")
    }
}
