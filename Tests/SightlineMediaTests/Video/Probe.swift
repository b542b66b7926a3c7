import Foundation
import Testing

/// The built VideoProbe, run as a process of its own.
final class Probe {
    private let process = Process()
    private let output = Pipe()

    /// Beside the test bundle, where SwiftPM puts the products of a build.
    private static let executable = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "VideoProbe")

    init(_ arguments: [String]) throws {
        process.executableURL = Self.executable
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    /// Waits until the probe has said a line that begins so; nil if it ends before.
    func wait(for beginning: String) -> String? {
        var text = ""
        while let data = try? output.fileHandleForReading.read(upToCount: 1), !data.isEmpty {
            guard data.first != UInt8(ascii: "\n") else {
                if text.hasPrefix(beginning) { return text }
                text = ""
                continue
            }
            text += String(decoding: data, as: UTF8.self)
        }
        return nil
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func waitUntilExit() { process.waitUntilExit() }
}
