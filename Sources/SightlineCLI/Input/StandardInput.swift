import Dispatch
import Foundation
import Sightline

/// What comes in on standard input.
enum StandardInput {
    /// All bytes until the end.
    ///
    /// - Throws: `InputError` if there are more than `maximum` or they cannot be read.
    static func readAll(atMost maximum: Int) throws -> Data {
        var data = Data()
        while let part = try FileHandle.standardInput.read(upToCount: 1 << 20), !part.isEmpty {
            data.append(part)
            if data.count > maximum {
                throw InputError(reason: "standard input has more than \(maximum) bytes; give a smaller picture.")
            }
        }
        return data
    }

    /// One line after the other, read on a thread of its own: waiting for a line must not hold up pictures under way.
    final class Lines: Sendable {
        private let queue = DispatchQueue(label: "sightline.stdin")

        /// The next line that is not blank, as a picture's path; nil at the end.
        func next() async -> Input? {
            await withCheckedContinuation { continuation in
                queue.async {
                    var line = readLine()
                    while line?.isEmpty == true { line = readLine() }
                    continuation.resume(returning: line.map { .file($0) })
                }
            }
        }
    }
}
