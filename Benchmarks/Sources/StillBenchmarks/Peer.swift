import Foundation

/// A peer in a process of its own, asked over the line protocol that peers/peer.py describes.
final class Peer: Contender {
    let name: String
    private(set) var finding = ""
    private let picture: String
    private let process = Process()
    private let requests = Pipe()
    private let answers = Pipe()
    private var unread = Data()

    /// One detection or label: box, class, score.
    private struct Found: Decodable {
        let kind: Int
        let score: Float

        init(from decoder: any Decoder) throws {
            var fields = try decoder.unkeyedContainer()
            _ = try fields.decode([Float]?.self)
            kind = try fields.decode(Int.self)
            score = try fields.decode(Float.self)
        }
    }

    private struct Answer: Decodable {
        let milliseconds: Double
        let processorMilliseconds: Double
        let result: [Found]
    }

    enum PeerError: Error, CustomStringConvertible {
        case ended(name: String)

        var description: String {
            switch self {
            case .ended(let name): "the peer \(name) ended; start it by hand to see why (peers/\(name).py)"
            }
        }
    }

    init(_ script: URL, python: String, benchmark: Benchmark, models: URL, pictures: URL) throws {
        name = script.deletingPathExtension().lastPathComponent
        picture = pictures.appending(path: benchmark.picture).path
        var arguments = [python, script.path]
        func model(_ path: String) -> String { models.appending(path: path).path }
        switch benchmark.task {
        case .label(let path, _): arguments += ["label", "--model", model(path)]
        case .detect(let path): arguments += ["detect", "--model", model(path)]
        case .detectAndClassify(let path, let classifier, let minimumScore):
            arguments += [
                "detect", "--model", model(path), "--classifier", model(classifier),
                "--max-objects", "\(Benchmark.classifiedObjects)",
                "--threshold", "\(minimumScore)",
            ]
        }
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = requests
        process.standardOutput = answers
        process.standardError = FileHandle.nullDevice
        try process.run()
        // Writing to a peer that has ended is then an error, not a signal.
        signal(SIGPIPE, SIG_IGN)
    }

    deinit {
        try? requests.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func measure(_ clock: Clock) throws -> Double {
        guard (try? requests.fileHandleForWriting.write(contentsOf: Data((picture + "\n").utf8))) != nil else {
            throw PeerError.ended(name: name)
        }
        let answer = try JSONDecoder().decode(Answer.self, from: readLine())
        let best = answer.result.first.map { "\($0.kind) \(rounded($0.score))" } ?? "nothing"
        finding = "\(answer.result.count) results, \(best)"
        return clock == .wall ? answer.milliseconds : answer.processorMilliseconds
    }

    private func readLine() throws -> Data {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread = Data(unread[(end + 1)...]) }
                return unread[..<end]
            }
            let more = answers.fileHandleForReading.availableData
            guard !more.isEmpty else { throw PeerError.ended(name: name) }
            unread += more
        }
    }
}
