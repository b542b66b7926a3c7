import Crypto
import Foundation
import NIOCore
import Synchronization

/// Small pictures of an evaluation, made anew by a process of its own: no byte of what somebody uploaded reaches a browser.
enum EvaluationThumbnails {
    private struct Line: Decodable {
        var path: String
        var jpeg: Data?
    }

    /// How long it may take to make the pictures of a page.
    private static let timeout = Duration.seconds(20)

    /// The name of a picture's file.
    static func name(of path: String) -> String {
        Hexadecimal.text(SHA256.hash(data: Data(path.utf8)).prefix(16))
    }

    /// Makes those of the pictures that are not there yet. In place of one that cannot be made an empty file is left.
    static func make(_ paths: [String], of evaluation: EvaluationRecord, _ hub: Hub) async throws {
        guard let evaluator = hub.options.evaluator else { return }
        let folder = hub.folder(of: evaluation.id).appending(path: EvaluationFolder.thumbnails)
        let archive = hub.folder(of: evaluation.id).appending(path: EvaluationFolder.archive).path
        func missing() -> [String] { paths.filter { access(folder.appending(path: name(of: $0)).path, F_OK) != 0 } }
        while case let wanted = missing(), let first = wanted.first {
            try SystemCalls.makeFolder(folder)
            let list = try StagedFile(in: hub.uploads, limit: 16 << 20)
            try list.append(ByteBuffer(bytes: try JSONEncoder().encode(wanted)))
            let process = EvaluationProcess(evaluator, ["make-thumbnails", archive, list.url.path])
            let ending = await process.run(timeout: timeout) { data in
                guard let line = try? JSONDecoder().decode(Line.self, from: data), wanted.contains(line.path) else {
                    return
                }
                let isJPEG = line.jpeg?.starts(with: [0xFF, 0xD8, 0xFF]) == true
                let file = folder.appending(path: name(of: line.path))
                try? (isJPEG ? line.jpeg ?? Data() : Data()).write(to: file, options: .atomic)
            }
            withExtendedLifetime(list) {}
            if case .notStarted = ending { return }
            // If a picture ended the process, those behind it get another one.
            guard missing().count < wanted.count else {
                try Data().write(to: folder.appending(path: name(of: first)))
                continue
            }
        }
    }

    /// The bytes of one; nil if it is not there.
    static func data(_ name: String, of evaluation: EvaluationRecord, _ hub: Hub) -> Data? {
        guard name.utf8.count == 32, name.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else {
            return nil
        }
        let folder = hub.folder(of: evaluation.id).appending(path: EvaluationFolder.thumbnails)
        let data = try? Data(contentsOf: folder.appending(path: name))
        return data?.isEmpty == false ? data : nil
    }
}
