import Dispatch
import Foundation
import Synchronization

extension StandardInput {
    /// Pictures that come in frames. A separate thread reads one frame ahead of those that were taken, so that no worker waits for
    /// bytes that are there.
    final class Frames: InputSource {
        private enum Phase {
            /// Reading has not begun.
            case before
            /// The thread reads a frame.
            case reading
            /// The thread reads a frame, and a task waits for it.
            case awaited(CheckedContinuation<Input?, Never>)
            /// A frame was read; nil at the end.
            case ready(Input?)
        }

        private let queue = DispatchQueue(label: "sightline.frames")
        private let phase = Mutex(Phase.before)
        /// Only the thread that reads uses this.
        private let reader: Mutex<FrameReader>
        private let error = Mutex<FrameError?>(nil)

        /// - Parameter maximumBytes: the largest picture.
        init(maximumBytes: Int) {
            reader = Mutex(FrameReader(STDIN_FILENO, maximumBytes: maximumBytes))
            Self.widenPipe()
        }

        /// Lets the sender write ahead, so that a picture needs fewer changes between the two programs. A photo is larger than a pipe
        /// usually is. Without the right to do so, or if standard input is not a pipe, nothing changes.
        private static func widenPipe() {
            #if os(Linux)
                // F_SETPIPE_SZ of <linux/fcntl.h>; the size is what an unprivileged process may set by default.
                _ = fcntl(STDIN_FILENO, 1031, Int32(1 << 20))
            #endif
        }

        var failure: (any Error)? { error.withLock(\.self) }

        func next() async -> Input? {
            await withCheckedContinuation { continuation in
                let (input, begins): (Input??, Bool) = phase.withLock { phase in
                    switch phase {
                    case .before:
                        phase = .awaited(continuation)
                        return (nil, true)
                    case .reading:
                        phase = .awaited(continuation)
                        return (nil, false)
                    case .ready(let input?):
                        phase = .reading
                        return (input, true)
                    case .ready(nil), .awaited:
                        return (.some(nil), false)
                    }
                }
                if begins { queue.async { self.read() } }
                if let input { continuation.resume(returning: input) }
            }
        }

        /// Reads until a frame is there for which no task waits.
        private func read() {
            repeat {
                var input: Input?
                do throws(FrameError) {
                    input = try reader.withLock { (reader) throws(FrameError) in try reader.next() }
                } catch {
                    self.error.withLock { $0 = error }
                }
                let waiting: CheckedContinuation<Input?, Never>? = phase.withLock { phase in
                    guard case .awaited(let continuation) = phase else {
                        phase = .ready(input)
                        return nil
                    }
                    phase = input == nil ? .ready(nil) : .reading
                    return continuation
                }
                guard let waiting else { return }
                waiting.resume(returning: input)
                if input == nil { return }
            } while true
        }
    }
}
