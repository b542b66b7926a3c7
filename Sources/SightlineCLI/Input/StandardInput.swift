import CommandLineSupport
import Dispatch
import Foundation
import Sightline
import Synchronization

/// Standard input: a picture, a list of paths, or pictures in frames.
enum StandardInput {
    /// Reads a picture, on a separate thread, because its bytes may come slowly.
    ///
    /// - Throws: `InputError` if there are more than `maximum` bytes or several pictures; otherwise the system's error.
    static func readPicture(atMost maximum: Int) async throws -> Data {
        let data = try await read(atMost: maximum)
        guard !PictureStream.holdsSeveral(data) else {
            throw InputError(
                reason: "standard input has several pictures; `sightline track -` reads them as the frames of a video."
            )
        }
        return data
    }

    /// Reads all bytes, on a separate thread.
    ///
    /// - Throws: `InputError` if there are more than `maximum` bytes; otherwise the system's error.
    static func read(atMost maximum: Int) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "sightline.stdin").async {
                continuation.resume(with: Result { try readToEnd(atMost: maximum) })
            }
        }
    }

    private static func readToEnd(atMost maximum: Int) throws -> Data {
        var data = Data()
        while let part = try FileHandle.standardInput.read(upToCount: 1 << 20), !part.isEmpty {
            data.append(part)
            if data.count > maximum {
                throw InputError(reason: "standard input has more than \(maximum) bytes; give a smaller picture.")
            }
        }
        return data
    }

    /// Reads one path after another. A separate thread waits for paths, because the wait must not delay other pictures.
    final class Paths: InputSource {
        private let queue = DispatchQueue(label: "sightline.stdin")
        private let list = Mutex(PathList())

        private static let partSize = 1 << 16

        func next() async -> Input? {
            // Most lists come in large parts, and the way to the thread and back costs more than a path.
            if let path = list.withLock({ $0.next(isComplete: false) }) { return Self.input(path) }
            return await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.read()) }
            }
        }

        private func read() -> Input? {
            var part = [UInt8](repeating: 0, count: Self.partSize)
            while true {
                if let path = list.withLock({ $0.next(isComplete: false) }) { return Self.input(path) }
                let count = Foundation.read(STDIN_FILENO, &part, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return list.withLock { $0.next(isComplete: true) }.map(Self.input) }
                list.withLock { $0.append(part.prefix(count)) }
            }
        }

        private static func input(_ path: [UInt8]) -> Input {
            guard !path.contains(0) else {
                let name = String(decoding: path.map { $0 == 0 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
                return .failure(name, "the list has both lines and NULs; end each path with the same one.")
            }
            let name = FileName.text(path)
            return Input.isAddress(name) && !InputSequence.exists(name) ? .address(name) : .file(name)
        }
    }
}
