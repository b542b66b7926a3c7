import DurableFiles
import Foundation

/// Pictures of a camera's events in a folder that keeps the newest.
///
/// A picture has the name of its date, its camera and its event, such as `2026-11-25T22-31-05.123Z-door-entered-12.jpg`, so that cameras
/// may share a folder. Other files of the folder stay, and those of other cameras. The functions wait for the disk, so that they are called
/// on `FileExecutor`.
///
/// Pictures are removed for their age only while the clock can be trusted: it must not have been set for as long as they are kept. A clock that
/// jumps removes nothing.
actor EventPictureFolder {
    /// The folder and its limits.
    struct Options: Sendable, Hashable {
        /// The path of the folder.
        let folder: String
        /// The time for which a picture is kept.
        var keepingTime = Duration.seconds(7 * 86_400)
        /// The largest number of pictures of a camera.
        var maximumCount = 1000
    }

    private let options: Options
    private let camera: String
    /// The names of the pictures, oldest first; nil before the folder was read.
    private var names: [String]?
    private var trust: ClockTrust

    /// The time after the start of the program in which the clock may still be wrong.
    private static let settlingTime = Duration.seconds(3600)

    init(_ options: Options, camera: String) {
        (self.options, self.camera) = (options, camera)
        trust = ClockTrust(settling: Self.settlingTime, pause: options.keepingTime)
    }

    /// Writes a picture, and removes old ones.
    ///
    /// - Parameters:
    ///   - jpeg: the picture.
    ///   - event: the name of the event and the identity, with a hyphen between them.
    ///   - date: the date of the event.
    ///   - instant: the same moment by the monotonic clock.
    func add(_ jpeg: Data, of event: String, at date: Date, instant: ContinuousClock.Instant = .now) throws {
        var known = try names ?? pictures()
        let name = "\(Self.text(date))-\(camera)-\(event).jpg"
        try PictureFile.write(jpeg, to: path(name), createsFolder: true)
        known.append(name)
        // After the clock was set, all earlier pictures must also be old by the monotonic clock.
        let isTrusted = trust.note(date.timeIntervalSince1970, at: instant)
        let oldest = isTrusted ? Self.text(date - options.keepingTime / .seconds(1)) : ""
        while let first = known.first, known.count > options.maximumCount || first < oldest {
            // Never a folder, whatever its name.
            unlink(path(first))
            known.removeFirst()
        }
        names = known
    }

    private func path(_ name: String) -> String { "\(options.folder)/\(name)" }

    /// The names of the camera's pictures in the folder.
    private func pictures() throws -> [String] {
        guard InputSequence.isFolder(options.folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: options.folder)
            .filter { name in
                guard let match = name.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-(.+)-[A-Za-z]+-\d+\.jpg/),
                    match.1 == camera
                else { return false }
                return DurableFile.size(URL(filePath: path(name))) != nil
            }
            .sorted()
    }

    /// The date in UTC, so that names sort by time; without colons, which some systems refuse in names.
    private static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)).replacing(":", with: "-")
    }
}
