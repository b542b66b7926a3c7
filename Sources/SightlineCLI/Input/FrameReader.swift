import Foundation
import Sightline

/// Reads pictures that follow one another in frames: a line with the number of bytes, a space and a name, and then the bytes.
///
/// Memory holds at most one picture, and none of one that is too large. Unsafe memory is sound here: the system writes at most
/// as many bytes as the header states, into memory of that size; and a picture's memory has one owner, first `readPicture`, then `Data`.
struct FrameReader {
    private let descriptor: Int32
    private let maximumBytes: Int
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    /// The part of the buffer that was read but not used.
    private var unused = 0..<0
    /// The number of bytes that were used.
    private var position = 0
    /// The number of the frame that is being read, and the position of its first byte.
    private var (frame, start) = (0, 0)

    /// - Parameters:
    ///   - descriptor: an open file or pipe.
    ///   - maximumBytes: the largest picture. The bytes of a larger one are skipped.
    init(_ descriptor: Int32, maximumBytes: Int) {
        (self.descriptor, self.maximumBytes) = (descriptor, maximumBytes)
    }

    /// Reads a frame, and waits for its bytes.
    ///
    /// - Returns: the picture, or a failure if it is too large; nil at the end.
    /// - Throws: an error after which no frame can be found.
    mutating func next() throws(FrameError) -> Input? {
        (frame, start) = (frame + 1, position)
        guard let header = try readHeader() else { return nil }
        switch header.content {
        case .address(let address): return .address(address, name: header.name)
        case .bytes(let size):
            guard size <= maximumBytes else {
                try skipPicture(of: size)
                return .failure(header.name, .tooManyBytes(size, maximumBytes: maximumBytes))
            }
            guard let picture = try readPicture(of: size) else {
                try skipPicture(of: size)
                return .failure(header.name, .outOfMemory(bytes: size))
            }
            return .bytes(picture, name: header.name)
        }
    }

    private mutating func readHeader() throws(FrameError) -> FrameHeader? {
        var line: [UInt8] = []
        while true {
            if unused.isEmpty, try !fillBuffer() {
                guard !line.isEmpty else { return nil }
                throw FrameHeader.canBegin(line) ? .cutHeader(frame: frame, byte: start) : noHeader(line)
            }
            let rest = buffer[unused]
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            line += rest[..<(end ?? rest.endIndex)].prefix(FrameHeader.maximumLength + 1 - line.count)
            use(end.map { $0 + 1 - rest.startIndex } ?? rest.count)
            guard end == nil else {
                guard let header = FrameHeader(line) else { throw noHeader(line) }
                return header
            }
            guard FrameHeader.canBegin(line) else { throw noHeader(line) }
        }
    }

    private func noHeader(_ line: [UInt8]) -> FrameError { .noHeader(frame: frame, byte: start, found: line) }

    /// Returns nil if there is no memory for the picture; no byte of it is used then.
    private mutating func readPicture(of size: Int) throws(FrameError) -> Data? {
        guard size > 0 else { return Data() }
        // The system provides the memory as it is filled, so that a header cannot claim it.
        guard let memory = malloc(size) else { return nil }
        var count = min(unused.count, size)
        UnsafeMutableRawBufferPointer(start: memory, count: size).copyBytes(from: buffer[unused].prefix(count))
        use(count)
        while count < size {
            do throws(FrameError) {
                let more = try read(into: memory + count, atMost: size - count)
                guard more > 0 else { throw .cutPicture(frame: frame, byte: start, found: count, size: size) }
                (count, position) = (count + more, position + more)
            } catch {
                free(memory)
                throw error
            }
        }
        return Data(bytesNoCopy: memory, count: size, deallocator: .free)
    }

    private mutating func skipPicture(of size: Int) throws(FrameError) {
        var count = 0
        while count < size {
            if unused.isEmpty, try !fillBuffer() {
                throw .cutPicture(frame: frame, byte: start, found: count, size: size)
            }
            let part = min(unused.count, size - count)
            use(part)
            count += part
        }
    }

    private mutating func use(_ count: Int) {
        unused = (unused.lowerBound + count)..<unused.upperBound
        position += count
    }

    /// Fills the empty buffer. Returns false at the end.
    private mutating func fillBuffer() throws(FrameError) -> Bool {
        var bytes = buffer
        buffer = []
        defer { buffer = bytes }
        unused = 0..<(try read(into: &bytes, atMost: bytes.count))
        return !unused.isEmpty
    }

    /// Waits for bytes. Returns their number; 0 at the end.
    private func read(into memory: UnsafeMutableRawPointer, atMost count: Int) throws(FrameError) -> Int {
        while true {
            let result = Foundation.read(descriptor, memory, count)
            if result >= 0 { return result }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // The program at the other end made the pipe so that reading does not wait.
                var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&wait, 1, -1)
            case let code: throw .unreadable(frame: frame, byte: start, code: code)
            }
        }
    }
}

extension Input {
    fileprivate static func failure(_ name: String, _ error: ImageError) -> Input {
        failure(name, LimitArguments.sentence(for: error) ?? error.description)
    }
}
