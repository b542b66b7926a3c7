import Foundation

/// The file of `sightline watch`: cameras, and the destinations of their events.
struct WatchFile: Sendable {
    /// A camera, with the options that `sightline track` has for it.
    struct Camera: Sendable {
        /// The name, which topics and files contain.
        let name: String
        /// The line of the camera in the file.
        let line: Int
        /// The input and the options as words of a command line. Cameras with the same words are the same.
        let words: [String]
        /// The options of `sightline track`.
        let track: TrackCommand
        /// The hours in which the camera is watched; nil for always.
        let schedule: WeeklySchedule?
        /// The pictures of its events; nil for no pictures.
        let pictures: EventPictureFolder.Options?
        /// Whether faces are hidden in the pictures of its events.
        let hidesFaces: Bool

        /// Whether the camera is watched at a date.
        func isActive(at date: Date) -> Bool { schedule?.contains(date) ?? true }

        /// Whether another camera has the same name and does the same, perhaps at other times.
        func isSame(as other: Camera) -> Bool {
            name == other.name && words == other.words && pictures == other.pictures && hidesFaces == other.hidesFaces
        }
    }

    /// A mistake in the file.
    struct Problem: Sendable, Hashable {
        /// The number of the line, from 1.
        let line: Int
        /// A sentence.
        let text: String
    }

    /// The reason why a file cannot be used.
    enum Failure: Error {
        /// The file cannot be read; a sentence.
        case unreadable(String)
        /// The mistakes, in the order of the lines.
        case mistakes([Problem])
    }

    /// In the order of the file.
    let cameras: [Camera]
    /// The destinations of events.
    let delivery: EventArguments
    /// The same as words of a command line.
    let deliveryWords: [String]
    /// The file of the events of all cameras; nil for none.
    let events: String?
    /// A file with metrics in Prometheus' text format; nil for none.
    let metrics: String?
    /// The files and folders that the file names, in the order of its lines.
    let places: [WatchPlace]

    /// The largest file, in bytes.
    static let maximumSize = 1 << 20

    /// Reads a file.
    ///
    /// - Parameter environment: the values for `${NAME}` in inputs.
    static func read(
        _ path: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(Failure) -> WatchFile {
        let data: Data
        guard !InputSequence.isFolder(path) else {
            throw .unreadable("\(FileName.printed(path)) is a folder; name a YAML file that lists cameras.")
        }
        do {
            let handle = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? handle.close() }
            data = try handle.read(upToCount: maximumSize + 1) ?? Data()
        } catch {
            let reason = access(path, R_OK) == 0 ? error.localizedDescription : String(cString: strerror(errno))
            throw .unreadable(
                "\(FileName.printed(path)) cannot be read (\(reason)); name a YAML file that lists cameras."
            )
        }
        guard data.count <= maximumSize else {
            throw .unreadable("\(FileName.printed(path)) is larger than 1 MB; name a YAML file that lists cameras.")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw .unreadable("\(FileName.printed(path)) is not UTF-8 text; save it as UTF-8.")
        }
        var reader = WatchFileReader(environment: environment)
        let file = reader.read(text)
        guard let file, reader.problems.isEmpty else {
            throw .mistakes(reader.problems.sorted { ($0.line, $0.text) < ($1.line, $1.text) })
        }
        return file
    }
}
