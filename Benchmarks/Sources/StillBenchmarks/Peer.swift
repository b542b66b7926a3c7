import Foundation
import Subprocess

/// A peer in a process of its own, asked over the line protocol that peers/peer.py describes.
final class Peer: Contender {
    let name: String
    private(set) var finding = ""
    private let picture: String
    private let requests: AsyncStream<Request>.Continuation

    /// A line to the peer, and where its answer goes.
    private struct Request: Sendable {
        let line: String
        let answer: CheckedContinuation<[UInt8], any Error>
    }

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
            case .ended(let name):
                "the peer \(name) ended; start it by hand to see why (peers/\(name).py)"
            }
        }
    }

    init(_ script: URL, python: String, benchmark: Benchmark, models: URL, pictures: URL) {
        name = script.deletingPathExtension().lastPathComponent
        picture = pictures.appending(path: benchmark.picture).path
        var arguments = [python, script.path]
        func model(_ path: String) -> String { models.model(path).path }
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
        let (lines, requests) = AsyncStream<Request>.makeStream()
        self.requests = requests
        Self.start(name, arguments, answering: lines)
    }

    /// Runs the program in a task of its own.
    private static func start(_ name: String, _ arguments: [String], answering requests: AsyncStream<Request>) {
        Task { await run(name, arguments, answering: requests) }
    }

    /// The peer ends with its input.
    deinit { requests.finish() }

    /// Runs the program until there are no more requests; once it has ended, all answers are errors.
    private static func run(_ name: String, _ arguments: [String], answering requests: AsyncStream<Request>) async {
        // Writing to a peer that has ended is then an error, not a signal.
        signal(SIGPIPE, SIG_IGN)
        _ = try? await Subprocess.run(
            .path("/usr/bin/env"),
            arguments: Arguments(arguments),
            input: .inputWriter,
            output: .sequence,
            error: .discarded
        ) { process in
            var answers = process.standardOutput.makeAsyncIterator()
            var unread: [UInt8] = []
            for await request in requests {
                do {
                    _ = try await process.standardInputWriter.write(request.line + "\n")
                    while !unread.contains(UInt8(ascii: "\n")) {
                        guard let more = try await answers.next() else { throw PeerError.ended(name: name) }
                        more.withUnsafeBytes { unread += $0 }
                    }
                    let line = unread.prefix { $0 != UInt8(ascii: "\n") }
                    unread.removeFirst(line.count + 1)
                    request.answer.resume(returning: Array(line))
                } catch {
                    request.answer.resume(throwing: PeerError.ended(name: name))
                }
            }
        }
        for await request in requests { request.answer.resume(throwing: PeerError.ended(name: name)) }
    }

    func measure(_ clock: Clock) async throws -> Double {
        let line = try await withCheckedThrowingContinuation { answer in
            _ = requests.yield(Request(line: picture, answer: answer))
        }
        let answer = try JSONDecoder().decode(Answer.self, from: Data(line))
        let best = answer.result.first.map { "\($0.kind) \(rounded($0.score))" } ?? "nothing"
        finding = "\(answer.result.count) results, \(best)"
        return clock == .wall ? answer.milliseconds : answer.processorMilliseconds
    }
}
