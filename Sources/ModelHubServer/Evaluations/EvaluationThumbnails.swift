import Crypto
import Foundation
import NIOCore

/// Thumbnails of an evaluation, encoded by a separate process: no uploaded byte reaches a browser.
enum EvaluationThumbnails {
    private struct Line: Decodable {
        var path: String
        var jpeg: Data?
    }

    /// The maximum duration for creating the thumbnails of a page.
    private static let timeout = Duration.seconds(20)

    /// The name for a picture.
    static func name(of path: String) -> String {
        SHA256.hash(data: Data(path.utf8)).prefix(16).hexadecimalText
    }

    /// Creates the missing thumbnails. For a picture that fails, an empty file is stored.
    ///
    /// Only one process at a time works for an evaluation, and two for the hub. Later callers wait, and find the
    /// thumbnails of earlier callers. Each thumbnail is therefore created once, regardless of the requested pages.
    static func make(_ paths: [String], of evaluation: EvaluationRecord, _ hub: Hub) async throws {
        guard let evaluator = hub.options.evaluator, try await !missing(paths, of: evaluation, hub).isEmpty else {
            return
        }
        try await hub.thumbnailing.run(as: "\(evaluation.id)") {
            while case let wanted = try await missing(paths, of: evaluation, hub), let first = wanted.first {
                guard try await make(wanted, of: evaluation, with: evaluator, hub) else { return }
                try Task.checkCancellation()
                // If a picture ended the process, the remaining pictures get another process.
                guard try await missing(wanted, of: evaluation, hub).count == wanted.count else { continue }
                try await hub.evaluationFiles.store(Data(), as: .thumbnail(name(of: first)), of: evaluation.id)
            }
        }
    }

    /// The names of the pictures that can be shown. Creates the missing thumbnails.
    static func shown(_ paths: [String], of evaluation: EvaluationRecord, _ hub: Hub) async throws -> Set<String> {
        try await make(paths, of: evaluation, hub)
        var shown: Set<String> = []
        for file in paths.map({ name(of: $0) }) where try await data(file, of: evaluation, hub) != nil {
            shown.insert(file)
        }
        return shown
    }

    private static func missing(
        _ paths: [String],
        of evaluation: EvaluationRecord,
        _ hub: Hub
    ) async throws -> [String] {
        let files = try await hub.evaluationFiles.files(of: evaluation.id)
        return paths.filter { !files.contains(.thumbnail(name(of: $0))) }
    }

    /// Creates thumbnails in a process; false if it cannot be started.
    private static func make(
        _ wanted: [String],
        of evaluation: EvaluationRecord,
        with evaluator: URL,
        _ hub: Hub
    ) async throws -> Bool {
        let list = try StagedFile(in: hub.uploads, limit: 16 << 20)
        try list.append(ByteBuffer(bytes: try JSONEncoder().encode(wanted)))
        defer { withExtendedLifetime(list) {} }
        let listPath = list.url.path
        let archive: StoredFile
        do {
            archive = try await hub.evaluationFiles.open(.pictures, of: evaluation.id)
        } catch let error as HubError where error.code == .notFound {
            // That of a training: its photos belong to the data set alone.
            return false
        }
        let (made, output) = AsyncStream.makeStream(of: Line.self)
        let lines = LineReader { data in
            guard let line = try? JSONDecoder().decode(Line.self, from: data), wanted.contains(line.path) else {
                return
            }
            output.yield(line)
        }
        async let stored: Void = store(made, of: evaluation, hub)
        let ending = try await hub.withPath(of: archive) { archivePath in
            let process = WorkerProcess(evaluator, ["make-thumbnails", archivePath, listPath])
            return await process.run(timeout: timeout) { lines.take($0) }
        }
        output.finish()
        await stored
        if case .notStarted = ending { return false }
        return true
    }

    /// Stores thumbnails as they are made.
    private static func store(_ lines: AsyncStream<Line>, of evaluation: EvaluationRecord, _ hub: Hub) async {
        for await line in lines {
            let isJPEG = line.jpeg?.starts(with: [0xFF, 0xD8, 0xFF]) == true
            let data = isJPEG ? line.jpeg ?? Data() : Data()
            try? await hub.evaluationFiles.store(data, as: .thumbnail(name(of: line.path)), of: evaluation.id)
        }
    }

    /// The bytes of a thumbnail; nil if it does not exist.
    static func data(_ name: String, of evaluation: EvaluationRecord, _ hub: Hub) async throws -> Data? {
        guard name.utf8.count == 32, name.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else {
            return nil
        }
        do {
            let data = try await hub.evaluationFiles.open(.thumbnail(name), of: evaluation.id).data()
            return data.isEmpty ? nil : data
        } catch let error as HubError where error.code == .notFound {
            return nil
        }
    }
}
