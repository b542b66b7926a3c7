import DurableFiles
import Foundation
import SightlineLocks
import TextFormatting

/// The events of an outbox on disk: those that wait, in files of whole lines, and a mark behind the last delivered event.
///
/// A line is the first eight digits of the SHA-256 of an event's JSON, a space and the JSON. Lines are only appended, each in one
/// write, so that a kill leaves at most one torn line, at the end of a file. A file that another process wrote is never appended to.
/// The mark is overwritten in place; if a power failure tears it, delivered events are delivered again, and none is lost.
///
/// The functions wait for the disk, so that the outbox calls them on a `FileQueue`, in the order of the events.
final class EventJournal: Sendable {
    /// A journal with the events that waited in it.
    struct Opened: Sendable {
        let journal: EventJournal
        let events: [CameraEvent]
        /// The number of lines that are not events.
        let damaged: Int

        /// A sentence about these lines; nil if there are none.
        var damage: String? {
            guard damaged > 0 else { return nil }
            let folder = journal.folder.path(percentEncoded: false)
            let lines = NumberText.count(damaged, "torn or damaged line")
            return "\(folder) has \(lines), which \(damaged == 1 ? "was" : "were") skipped."
        }
    }

    /// The size in bytes at which a file is full.
    private static let fullSize = 1 << 20

    /// A place behind an event: the number of a file, and an offset in it.
    private struct EventPosition {
        var file: Int
        var offset: Int
    }

    /// The file that is appended to.
    private final class Segment {
        let number: Int
        let file: FileDescriptor
        var size = 0

        init(_ number: Int, in folder: URL) throws(DurableFileError) {
            self.number = number
            file = try FileDescriptor(
                EventJournal.segment(number, in: folder).path(percentEncoded: false),
                O_WRONLY | O_CREAT | O_EXCL | O_APPEND,
                permissions: 0o600
            )
        }
    }

    private final class State {
        /// Held as long as the journal is open.
        var lock: FileLock?
        /// The places behind the events that wait; nil for an event that could not be written.
        var places: [EventPosition?] = []
        /// The numbers of the files with events that wait, or that may have some.
        var numbers: [Int] = []
        var next = 1
        var segment: Segment?
        /// Whether bytes were appended since the last ``EventJournal/synchronize()``.
        var isUnsynchronized = false
        /// The file of the mark.
        var mark: FileDescriptor?

        /// The file to append to, which is created in a folder if necessary.
        func openSegment(in folder: URL) throws(DurableFileError) -> Segment {
            if let segment {
                if segment.size < EventJournal.fullSize { return segment }
                try segment.file.synchronize()
                self.segment = nil
            }
            let segment = try Segment(next, in: folder)
            self.segment = segment
            numbers.append(segment.number)
            next += 1
            return segment
        }

        func removeFiles(before first: Int, in folder: URL) {
            for number in numbers where number < first {
                unlink(EventJournal.segment(number, in: folder).path(percentEncoded: false))
            }
            numbers.removeAll { $0 < first }
        }
    }

    private let folder: URL
    private let state = Mutex(State())

    private init(_ folder: URL, _ lock: FileLock) {
        self.folder = folder
        state.withLock { $0.lock = lock }
    }

    private static func segment(_ number: Int, in folder: URL) -> URL {
        let digits = "\(number)"
        return folder.appending(path: String(repeating: "0", count: max(8 - digits.count, 0)) + digits + ".events")
    }

    /// The number of a file of events; nil for other names, and for anything but a regular file. Numbers have eight digits or more, and lie
    /// below a limit that no journal reaches.
    private static func number(ofFile name: String, in folder: URL) -> Int? {
        let digits = name.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard name.hasSuffix(".events"), digits.count + ".events".count == name.utf8.count, digits.count >= 8,
            let number = Int(String(decoding: digits, as: UTF8.self)), number < numberLimit,
            segment(number, in: folder).lastPathComponent == name,
            DurableFile.size(folder.appending(path: name)) != nil
        else { return nil }
        return number
    }

    private static let numberLimit = 100_000_000_000

    private static func mark(in folder: URL) -> URL { folder.appending(path: "delivered") }

    /// Opens the journal in a folder, which is created if necessary.
    ///
    /// - Throws: `EventError.queue`, also if another journal is open in the folder.
    static func open(_ folder: URL) throws(EventError) -> Opened {
        let path = folder.path(percentEncoded: false)
        do throws(DurableFileError) {
            try DurableFile.makeFolder(folder, permissions: 0o700)
            guard
                let lock = try FileLock.takenIfFree(folder.appending(path: "lock").path(percentEncoded: false))
            else { throw DurableFileError(path: path, code: EBUSY) }
            return try EventJournal(folder, lock).read()
        } catch {
            let reason =
                switch error.code {
                case EBUSY: "another program uses the folder"
                case EOVERFLOW: "the number of its last file is too large for a journal"
                default: error.reason
                }
            throw .queue(path: path, reason: reason)
        }
    }

    /// The number of events that wait in a folder, which keeps them; 0 if it has none, cannot be read, or is in use.
    static func waitingCount(in folder: URL) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        guard names.contains(where: { number(ofFile: $0, in: folder) != nil }), let opened = try? open(folder) else {
            return 0
        }
        try? opened.journal.close()
        return opened.events.count
    }

    /// Reads the events that wait.
    private func read() throws(DurableFileError) -> Opened {
        let path = folder.path(percentEncoded: false)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw DurableFileError(path: path, code: EACCES, operation: .read)
        }
        let numbers = names.compactMap { Self.number(ofFile: $0, in: folder) }.sorted()
        let mark = Self.readMark(in: folder)
        var events: [CameraEvent] = []
        var places: [EventPosition?] = []
        var damaged = 0
        for number in numbers {
            let file = Self.segment(number, in: folder)
            if number < mark.file {
                unlink(file.path(percentEncoded: false))
                continue
            }
            var bytes: [UInt8] = []
            try FileDescriptor(file.path(percentEncoded: false), O_RDONLY).read { bytes += $0 }
            var start = number == mark.file ? min(mark.offset, bytes.count) : 0
            while start < bytes.count {
                let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
                if end < bytes.endIndex, let event = Self.event(bytes[start..<end]) {
                    events.append(event)
                    places.append(EventPosition(file: number, offset: end + 1))
                } else {
                    damaged += 1
                }
                start = end + 1
            }
        }
        let next = max(numbers.last ?? 0, mark.file) + 1
        guard next < Self.numberLimit else { throw DurableFileError(path: path, code: EOVERFLOW) }
        state.withLock { state in
            state.places = places
            state.numbers = numbers.filter { $0 >= mark.file }
            state.next = next
        }
        return Opened(journal: self, events: events, damaged: damaged)
    }

    /// Appends events. When this returns, a kill of the program does not lose them.
    func append(_ events: [CameraEvent]) throws(DurableFileError) {
        let lines = events.map(Self.line)
        try state.withLock { (state) throws(DurableFileError) in
            do throws(DurableFileError) {
                let segment = try state.openSegment(in: folder)
                var places: [EventPosition?] = []
                var size = segment.size
                for line in lines {
                    size += line.count
                    places.append(EventPosition(file: segment.number, offset: size))
                }
                try segment.file.write(Data(lines.joined()))
                segment.size = size
                state.places += places
                state.isUnsynchronized = true
            } catch {
                // A part may be written. Nothing follows it in its file.
                state.segment = nil
                state.places += [EventPosition?](repeating: nil, count: lines.count)
                throw error
            }
        }
    }

    /// Notes that the first events that wait are delivered.
    func acknowledge(_ count: Int) throws(DurableFileError) {
        try state.withLock { (state) throws(DurableFileError) in
            let place = state.places.prefix(count).last { $0 != nil } ?? nil
            state.places.removeFirst(min(count, state.places.count))
            guard let place else { return }
            if state.mark == nil {
                let path = Self.mark(in: folder).path(percentEncoded: false)
                state.mark = try FileDescriptor(path, O_WRONLY | O_CREAT, permissions: 0o600)
            }
            try write(place, to: state)
            if state.places.isEmpty, let segment = state.segment, segment.size >= Self.fullSize { state.segment = nil }
            let first = state.places.isEmpty && state.segment == nil ? state.next : place.file
            state.removeFiles(before: first, in: folder)
        }
    }

    /// Writes the events so far to disk, so that a power failure does not lose them.
    func synchronize() throws(DurableFileError) {
        try state.withLock { (state) throws(DurableFileError) in
            guard state.isUnsynchronized else { return }
            state.isUnsynchronized = false
            try state.segment?.file.synchronize()
        }
    }

    /// Writes what is left to disk; removes the files of an empty journal.
    func close() throws(DurableFileError) {
        defer { state.withLock { $0.lock = nil } }
        try synchronize()
        state.withLock { state in
            state.segment = nil
            state.mark = nil
            if state.places.isEmpty {
                state.removeFiles(before: .max, in: folder)
                unlink(Self.mark(in: folder).path(percentEncoded: false))
            }
        }
    }

    // MARK: - Lines

    private static func line(_ event: CameraEvent) -> [UInt8] {
        // Events have only texts, dates and finite numbers, so that encoding them cannot fail.
        let json = (try? JSONEncoder().encode(event)) ?? Data()
        return Array(checksum(json).utf8) + [UInt8(ascii: " ")] + json + [UInt8(ascii: "\n")]
    }

    /// The event of a line; nil if the line is torn or damaged.
    private static func event(_ line: ArraySlice<UInt8>) -> CameraEvent? {
        let json = Data(line.dropFirst(checksumSize + 1))
        guard line.count > checksumSize + 1, line.prefix(checksumSize).elementsEqual(checksum(json).utf8) else {
            return nil
        }
        return try? JSONDecoder().decode(CameraEvent.self, from: json)
    }

    private static let checksumSize = 8

    private static func checksum(_ bytes: Data) -> String {
        String(SHA256.hexadecimalDigest(of: bytes).prefix(checksumSize))
    }

    // MARK: - Mark

    /// Writes `FILE OFFSET CHECKSUM` with as many characters as every other mark.
    private func write(_ place: EventPosition, to state: State) throws(DurableFileError) {
        guard state.mark != nil else { return }
        let text = Self.text(of: place)
        let path = Self.mark(in: folder).path(percentEncoded: false)
        let bytes = Array((text + " " + Self.checksum(Data(text.utf8)) + "\n").utf8)
        let number = state.mark?.number ?? -1
        guard pwrite(number, bytes, bytes.count, 0) == bytes.count else {
            throw DurableFileError(path: path, code: errno)
        }
    }

    private static func text(of place: EventPosition) -> String {
        [place.file, place.offset].map { number in
            let digits = "\(number)"
            return String(repeating: "0", count: max(12 - digits.count, 0)) + digits
        }.joined(separator: " ")
    }

    /// The mark in a folder; the beginning if there is none, or if it is torn.
    private static func readMark(in folder: URL) -> EventPosition {
        let beginning = EventPosition(file: 0, offset: 0)
        guard let data = try? Data(contentsOf: mark(in: folder)), data.count < 100 else { return beginning }
        let words = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 3, let file = Int(words[0]), let offset = Int(words[1]),
            (0..<numberLimit).contains(file), offset >= 0,
            checksum(Data("\(words[0]) \(words[1])".utf8)) == words[2]
        else { return beginning }
        return EventPosition(file: file, offset: offset)
    }
}
