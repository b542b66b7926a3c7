import DurableFiles
import Foundation
import Sightline
import SightlineMedia
import Synchronization

/// The pictures that two models answer most differently, in a folder of this machine: for each one a picture file, and a JSON file of the
/// same name with both answers.
///
/// Both files are written as a whole, the picture first. What a killed server left behind is removed at the next start. A clock that jumps
/// removes nothing.
package final class KeptPictures: Sendable {
    /// The limits of the folder. Beyond the number or the bytes, the pictures that differ least are removed.
    package struct Limits: Sendable, Hashable {
        /// The number of pictures.
        package var count: Int
        /// The bytes of all pictures.
        package var bytes: Int
        /// The time for which a picture is kept.
        package var age: Duration

        /// Creates limits.
        package init(count: Int, bytes: Int = 256 << 20, age: Duration = .seconds(7 * 24 * 3600)) {
            (self.count, self.bytes, self.age) = (count, bytes, age)
        }
    }

    /// A kept picture.
    struct Entry: Sendable, Codable {
        /// The first 16 digits of the picture's SHA-256.
        let id: String
        let model: String
        /// The versions that answered and that answered unseen.
        let served, candidate: String
        /// The names in both answers, at most ten each.
        let servedNames, candidateNames: [String]
        /// The path of the picture in the folder.
        let picture: String
        let byteCount: Int
        /// The confidences of what only one of the answers has, in total.
        let weight: Double
        let time: Date

        /// The path of the file with both answers.
        var document: String { (picture as NSString).deletingPathExtension + ".json" }
    }

    /// The folder cannot be used.
    package struct Failure: Error, CustomStringConvertible {
        /// The failure and the next step, in one sentence.
        package let description: String

        init(_ description: String) { self.description = description }

        init(_ error: DurableFileError) { description = "\(error)" }
    }

    private struct Document: Encodable {
        let entry: Entry
        let servedAnswer, candidateAnswer: GivenAnswer.Results
    }

    private struct StoredDocument: Decodable {
        let entry: Entry
    }

    /// The folder.
    package let folder: URL
    package let limits: Limits
    private let lock: FileLock
    private let entries: Mutex<RankedPictures>
    private let trust: Mutex<ClockTrust>

    /// The time after the start of the program in which the clock may still be wrong.
    private static let settlingTime = Duration.seconds(3600)

    /// Opens a folder, which is created if necessary.
    ///
    /// - Throws: If the folder cannot be written, or another server keeps pictures in it.
    package init(folder: URL, limits: Limits) throws(Failure) {
        (self.folder, self.limits) = (folder, limits)
        do throws(DurableFileError) {
            try DurableFile.makeFolder(folder, permissions: 0o700)
            guard let lock = try FileLock.takenIfFree(folder.appending(path: ".lock").path) else {
                throw DurableFileError(path: folder.path, code: EBUSY)
            }
            self.lock = lock
        } catch {
            throw Failure(
                error.code == EBUSY
                    ? "Another server keeps pictures in \(folder.path); name another folder with --keep-folder."
                    : "Pictures cannot be kept: \(error)"
            )
        }
        entries = Mutex(RankedPictures(Self.contents(of: folder)))
        trust = Mutex(ClockTrust(settling: Self.settlingTime, pause: limits.age))
        removeOld()
    }

    /// The folder of a user who names none.
    package static func usualFolder() -> URL { UserDataFolder.ofUser().appending(path: "sightline/serve/different") }

    /// The pictures, those that differ most first.
    var all: [Entry] { entries.withLock { $0.all } }

    /// The bytes of all pictures.
    var byteCount: Int { entries.withLock { $0.byteCount } }

    /// The file of a picture; nil if it is not kept, or no longer.
    func file(of id: String) -> URL? {
        entries.withLock { $0.all.first { $0.id == id } }.map { folder.appending(path: $0.picture) }
    }

    /// Keeps a picture if there is room for it, or if it differs more than others. Waits for the disk.
    ///
    /// - Throws: If the files cannot be written.
    func keep(
        _ given: GivenAnswer,
        _ second: GivenAnswer.Results,
        by candidate: AnswerModel,
        weight: Double,
        at time: Date = Date(),
        instant: ContinuousClock.Instant = .now
    ) throws(Failure) {
        removeOld(at: time, instant: instant)
        let id = String(SHA256.hexadecimalDigest(of: given.picture).prefix(16))
        let place = Self.fileName(given.model.name)
        let entry = Entry(
            id: id,
            model: given.model.name,
            served: given.model.version,
            candidate: candidate.version,
            servedNames: given.results.names,
            candidateNames: second.names,
            picture: "\(place)/\(id).\(Self.fileExtension(of: given.picture))",
            byteCount: given.picture.count,
            weight: weight,
            time: time
        )
        // The quiet thread alone adds pictures.
        guard let others = entries.withLock({ $0.others(goingFor: entry, within: limits) }) else { return }
        for old in others { remove(old) }
        let document = Document(entry: entry, servedAnswer: given.results, candidateAnswer: second)
        do throws(DurableFileError) {
            try DurableFile.makeFolder(folder.appending(path: place), permissions: 0o700)
            try DurableFile.write(given.picture, to: folder.appending(path: entry.picture), permissions: 0o600)
            let json = (try? Self.encoder.encode(document)) ?? Data()
            try DurableFile.write(json, to: folder.appending(path: entry.document), permissions: 0o600)
        } catch {
            remove(entry)
            throw Failure(error)
        }
        // Programs see a picture whose files are there.
        entries.withLock { $0.add(entry) }
    }

    /// Removes the pictures that are too old, if the clock can be trusted. Waits for the disk.
    ///
    /// - Parameters:
    ///   - time: The present time by the wall clock.
    ///   - instant: The same moment by the monotonic clock.
    func removeOld(at time: Date = Date(), instant: ContinuousClock.Instant = .now) {
        guard trust.withLock({ $0.note(time.timeIntervalSince1970, at: instant) }) else { return }
        let end = time.addingTimeInterval(-(limits.age / .seconds(1)))
        for old in entries.withLock({ $0.all.filter { $0.time < end } }) { remove(old) }
    }

    /// Removes the files first that make the picture one that is kept.
    private func remove(_ entry: Entry) {
        entries.withLock { $0.remove(entry.picture) }
        for file in [entry.document, entry.picture] {
            try? FileManager.default.removeItem(at: folder.appending(path: file))
        }
    }

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }()

    /// The pictures in a folder that have both files. Half of a pair is removed; other files stay.
    private static func contents(of folder: URL) -> [Entry] {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        var entries: [Entry] = []
        let places = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        for place in places where !place.lastPathComponent.hasPrefix(".") {
            let files = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
            var pictures: Set<String> = []
            for file in files where file.hasSuffix(".json") && isOurs(file) {
                let url = place.appending(path: file)
                if let data = try? Data(contentsOf: url),
                    let entry = try? decoder.decode(StoredDocument.self, from: data).entry,
                    files.contains((entry.picture as NSString).lastPathComponent),
                    entry.picture.hasPrefix("\(place.lastPathComponent)/"), !entry.picture.contains("..")
                {
                    entries.append(entry)
                    pictures.insert((entry.picture as NSString).lastPathComponent)
                } else {
                    try? FileManager.default.removeItem(at: url)
                }
            }
            for file in files where isOurs(file) && !file.hasSuffix(".json") && !pictures.contains(file) {
                try? FileManager.default.removeItem(at: place.appending(path: file))
            }
        }
        return entries
    }

    /// Whether a file has a name as this type gives them.
    private static func isOurs(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].count == 16 && parts[0].allSatisfy { $0.isHexDigit }
    }

    /// The name of a model as the name of a folder.
    private static func fileName(_ name: String) -> String {
        let text = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "@") ? $0 : "_" })
        return text.isEmpty ? "_" : text
    }

    private static func fileExtension(of picture: Data) -> String {
        (try? ImageFormat(of: picture))?.fileExtensions.first ?? "jpg"
    }
}
