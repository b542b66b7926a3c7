import Dispatch
import Foundation
import Sightline
import SightlineLocks

extension VideoReader {
    /// Returns the remaining frames, which a thread decodes in advance.
    ///
    /// The sequence has all frames in order. At most `count` frames wait, with 1.5 bytes of memory a pixel; then decoding pauses, and
    /// a camera's driver or a server drops the frames that it cannot deliver.
    ///
    /// The reader belongs to the iteration. If the iteration ends early, by `break` or by the cancellation of its task, reading ends
    /// permanently as with ``VideoReader/cancel()``.
    ///
    /// - Parameter count: the largest number of waiting frames, at least 1.
    public func frames(decodingAhead count: Int = 4) -> VideoFrames {
        VideoFrames(reader: self, count: max(count, 1))
    }
}

/// The frames of a video as an asynchronous sequence. It can be iterated once.
public struct VideoFrames: AsyncSequence, Sendable {
    /// A frame.
    public typealias Element = VideoFrame
    /// The error that ends reading.
    public typealias Failure = VideoError

    let reader: VideoReader
    let count: Int

    /// Starts the thread that decodes.
    public func makeAsyncIterator() -> Iterator { Iterator(FrameQueue(reader, capacity: count)) }

    /// Iterates over the frames in order.
    public struct Iterator: AsyncIteratorProtocol {
        private let queue: FrameQueue

        fileprivate init(_ queue: FrameQueue) { self.queue = queue }

        /// Returns the next frame; nil at the end, and if the task was cancelled.
        ///
        /// - Throws: the errors of `VideoReader.next()`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(VideoError) -> VideoFrame? {
            try await queue.next(isolation: actor)
        }

        /// Returns the next frame; nil at the end, and if the task was cancelled.
        ///
        /// - Throws: the errors of `VideoReader.next()`.
        public mutating func next() async throws(VideoError) -> VideoFrame? {
            try await queue.next(isolation: nil)
        }
    }
}

/// Frames between the thread that decodes them and the task that takes them.
///
/// The thread holds the inner state and not this object, so that dropping the iterator ends the thread.
private final class FrameQueue: Sendable {
    private typealias Outcome = Result<VideoFrame?, VideoError>

    private struct State {
        var frames: [VideoFrame] = []
        /// The end of reading, once it is known. The iterator takes it once.
        var end: Outcome?
        var isOver = false
        var waiting: CheckedContinuation<Outcome, Never>?
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
        /// The free places for frames. It counts up from 0, because a semaphore must not end below its first value.
        let places = DispatchSemaphore(value: 0)
    }

    private let shared = Shared()
    private let reader: VideoReader

    init(_ reader: VideoReader, capacity: Int) {
        self.reader = reader
        for _ in 0..<capacity { shared.places.signal() }
        let thread = Thread { [shared] in Self.decode(reader, into: shared) }
        thread.name = "sightline.decoder"
        thread.stackSize = 1 << 20
        thread.start()
    }

    deinit { cancel() }

    private static func decode(_ reader: VideoReader, into shared: Shared) {
        while true {
            shared.places.wait()
            let outcome: Outcome
            do throws(VideoError) {
                outcome = .success(try reader.next())
            } catch {
                outcome = .failure(error)
            }
            let (isOver, waiting) = shared.state.withLock { state in
                let waiting = state.waiting
                state.waiting = nil
                switch outcome {
                case .success(let frame?):
                    if waiting == nil, !state.isOver { state.frames.append(frame) }
                default:
                    if waiting == nil { state.end = outcome }
                    state.isOver = true
                }
                return (state.isOver, waiting)
            }
            if let waiting {
                waiting.resume(returning: outcome)
                shared.places.signal()
            }
            if isOver { return }
        }
    }

    func next(isolation actor: isolated (any Actor)?) async throws(VideoError) -> VideoFrame? {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Outcome? = shared.state.withLock { state in
                    if !state.frames.isEmpty { return .success(state.frames.removeFirst()) }
                    if let end = state.end {
                        state.end = nil
                        return end
                    }
                    if state.isOver || state.waiting != nil { return .success(nil) }
                    state.waiting = continuation
                    return nil
                }
                guard let known else { return }
                if case .success(_?) = known { shared.places.signal() }
                continuation.resume(returning: known)
            }
        } onCancel: {
            cancel()
        }
        return try outcome.get()
    }

    /// Ends the thread and the calls that wait for it. A video that was read to its end stays usable.
    private func cancel() {
        let (isEarly, waiting) = shared.state.withLock { state in
            defer { state = State(isOver: true) }
            return (!state.isOver, state.waiting)
        }
        if isEarly { reader.cancel() }
        waiting?.resume(returning: .success(nil))
        shared.places.signal()
    }
}
