import DurableFiles
import Foundation

/// The topics at which a broker retains messages of cameras, in a small file, so that a later run can remove what is left of a camera
/// that is gone.
///
/// The file has a topic before a message is sent there, and until an empty message has arrived there. So a kill of the program
/// leaves one topic too many at worst, which is then emptied twice.
actor RetainedTopics {
    /// Nil to remember the topics of this run only.
    private let file: URL?
    private let files = FileQueue()
    /// The topics by camera.
    private var topics: [String: Set<String>] = [:]
    private var hasRead = false
    /// Whether the file lacks a change, for example because the disk is full.
    private var isUnwritten = false

    /// The largest size of a file that is read, in bytes.
    private static let largestSize = 1 << 24

    init(_ file: URL?) { self.file = file }

    /// The cameras with topics.
    var cameras: Set<String> {
        get async {
            await read()
            return Set(topics.keys)
        }
    }

    /// The topics of a camera.
    func topics(of camera: String) async -> Set<String> {
        await read()
        return topics[camera] ?? []
    }

    /// Notes topics to which messages are about to be sent.
    func add(_ new: Set<String>, of camera: String) async {
        await read()
        guard isUnwritten || !new.isSubset(of: topics[camera] ?? []) else { return }
        topics[camera, default: []].formUnion(new)
        await write()
    }

    /// Forgets topics at which the broker no longer retains anything.
    func remove(_ gone: Set<String>, of camera: String) async {
        await read()
        guard let known = topics[camera], !known.isDisjoint(with: gone) else { return }
        let rest = known.subtracting(gone)
        topics[camera] = rest.isEmpty ? nil : rest
        await write()
    }

    /// Reads the file once, as late as possible: another transport may have written it until then.
    private func read() async {
        guard !hasRead else { return }
        let earlier = await files.run { [file] () throws(Never) in
            guard let file, let size = DurableFile.size(file), size <= Self.largestSize,
                let data = try? Data(contentsOf: file)
            else { return [String: Set<String>]() }
            return (try? JSONDecoder().decode([String: Set<String>].self, from: data)) ?? [:]
        }
        guard !hasRead else { return }
        hasRead = true
        topics.merge(earlier) { $0.union($1) }
    }

    private func write() async {
        guard let file else { return }
        isUnwritten = false
        do throws(DurableFileError) {
            try await files.run { [topics] () throws(DurableFileError) in
                guard !topics.isEmpty else {
                    unlink(file.path(percentEncoded: false))
                    return
                }
                // Texts can always be encoded.
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                try DurableFile.write((try? encoder.encode(topics)) ?? Data(), to: file, permissions: 0o600)
            }
        } catch {
            isUnwritten = true
        }
    }
}
