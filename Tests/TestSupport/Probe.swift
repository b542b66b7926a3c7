import Foundation

/// A built program of the package, run as a process of its own.
public struct Probe: Sendable {
    private let executable: URL

    /// A program by its name. It lies beside the test bundle, where SwiftPM puts the products of a build.
    public init(_ name: String) {
        executable = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name)
    }

    /// Runs it to its end, or until it is killed after so many lines and a little while; gives its lines.
    public func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        input: String = "",
        killingAfter lines: Int? = nil,
        pause: Duration = .zero
    ) async throws -> [String] {
        let process = Process()
        let output = Pipe()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let standardInput = Pipe()
        // Little enough for the pipe to take it whole.
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        // A thread of its own reads, since the threads of tests must not wait; a readability handler will not do, as its
        // pipe may be closed while libdispatch still watches it.
        let (pieces, continuation) = AsyncStream<Data>.makeStream()
        let end = AsyncStream<Void> { continuation in process.terminationHandler = { _ in continuation.finish() } }
        try await Self.start(process)
        Thread.detachNewThread {
            while true {
                let data = output.fileHandleForReading.availableData
                if data.isEmpty { break }
                continuation.yield(data)
            }
            continuation.finish()
        }
        var text = Data()
        var isKilled = false
        for await piece in pieces {
            text += piece
            if let lines, !isKilled, text.count(where: { $0 == UInt8(ascii: "\n") }) >= lines {
                isKilled = true
                try await Task.sleep(for: pause)
                kill(process.processIdentifier, SIGKILL)
            }
        }
        for await _ in end {}
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static let queue = DispatchQueue(label: "probe")

    /// Starts one after another, and on a thread of its own: starting waits, which the threads of tests must not.
    private static func start(_ process: Process) async throws {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try process.run() }) }
        }
    }
}
