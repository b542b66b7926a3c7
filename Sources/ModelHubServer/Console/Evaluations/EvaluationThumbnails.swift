import Crypto
import Foundation
import NIOCore
import Synchronization

/// Thumbnails of an evaluation, encoded by a separate process: no uploaded byte reaches a browser.
enum EvaluationThumbnails {
    private struct Line: Decodable {
        var path: String
        var jpeg: Data?
    }

    /// The maximum duration for creating the thumbnails of a page.
    private static let timeout = Duration.seconds(20)

    /// The file name for a picture.
    static func name(of path: String) -> String {
        Hexadecimal.text(SHA256.hash(data: Data(path.utf8)).prefix(16))
    }

    /// Creates the missing thumbnails. For a picture that fails, an empty file is stored.
    ///
    /// Only one process at a time works for an evaluation, and two for the hub. Later callers wait, and find the
    /// thumbnails of earlier callers. Each thumbnail is therefore created once, regardless of the requested pages.
    static func make(_ paths: [String], of evaluation: EvaluationRecord, _ hub: Hub) async throws {
        guard let evaluator = hub.options.evaluator, !missing(paths, of: evaluation, hub).isEmpty else { return }
        try await hub.thumbnailing.run(as: "\(evaluation.id)") {
            while case let wanted = missing(paths, of: evaluation, hub), let first = wanted.first {
                guard try await make(wanted, of: evaluation, with: evaluator, hub) else { return }
                try Task.checkCancellation()
                // If a picture ended the process, the remaining pictures get another process.
                guard missing(wanted, of: evaluation, hub).count == wanted.count else { continue }
                try Data().write(to: file(first, of: evaluation, hub))
            }
        }
    }

    private static func file(_ path: String, of evaluation: EvaluationRecord, _ hub: Hub) -> URL {
        hub.folder(of: evaluation.id).appending(path: EvaluationFolder.thumbnails).appending(path: name(of: path))
    }

    private static func missing(_ paths: [String], of evaluation: EvaluationRecord, _ hub: Hub) -> [String] {
        paths.filter { access(file($0, of: evaluation, hub).path, F_OK) != 0 }
    }

    /// Creates thumbnails in a process; false if it cannot be started.
    private static func make(
        _ wanted: [String],
        of evaluation: EvaluationRecord,
        with evaluator: URL,
        _ hub: Hub
    ) async throws -> Bool {
        let folder = hub.folder(of: evaluation.id)
        try SystemCalls.makeFolder(folder.appending(path: EvaluationFolder.thumbnails))
        let list = try StagedFile(in: hub.uploads, limit: 16 << 20)
        try list.append(ByteBuffer(bytes: try JSONEncoder().encode(wanted)))
        let archive = folder.appending(path: EvaluationFolder.archive).path
        let process = WorkerProcess(evaluator, ["make-thumbnails", archive, list.url.path])
        let lines = LineReader { data in
            guard let line = try? JSONDecoder().decode(Line.self, from: data), wanted.contains(line.path) else {
                return
            }
            let isJPEG = line.jpeg?.starts(with: [0xFF, 0xD8, 0xFF]) == true
            let url = file(line.path, of: evaluation, hub)
            try? (isJPEG ? line.jpeg ?? Data() : Data()).write(to: url, options: .atomic)
        }
        let ending = await process.run(timeout: timeout) { lines.take($0) }
        withExtendedLifetime(list) {}
        if case .notStarted = ending { return false }
        return true
    }

    /// The bytes of a thumbnail; nil if it does not exist.
    static func data(_ name: String, of evaluation: EvaluationRecord, _ hub: Hub) -> Data? {
        guard name.utf8.count == 32, name.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else {
            return nil
        }
        let folder = hub.folder(of: evaluation.id).appending(path: EvaluationFolder.thumbnails)
        let data = try? Data(contentsOf: folder.appending(path: name))
        return data?.isEmpty == false ? data : nil
    }
}
