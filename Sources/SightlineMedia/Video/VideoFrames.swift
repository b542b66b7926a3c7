import Dispatch
import Foundation
import Sightline
import Synchronization

extension VideoReader {
    /// The frames from here on, decoded by a thread of their own ahead of whoever takes them.
    ///
    /// All frames are given, in order. At most `count` of them wait (in memory of 1.5 bytes a pixel each), then decoding
    /// waits; a camera's driver or a server then drops what it cannot deliver.
    ///
    /// The reader belongs to the iteration: when it is left early, by `break` or because its task is cancelled, reading ends
    /// for good as with ``VideoReader/cancel()``.
    ///
    /// - Parameter count: how many frames may wait, at least 1.
    public func frames(decodingAhead count: Int = 4) -> VideoFrames {
        VideoFrames(reader: self, count: max(count, 1))
    }
}

/// The frames of a video as an asynchronous sequence; to be iterated once.
public struct VideoFrames: AsyncSequence, Sendable {
    /// A frame.
    public typealias Element = VideoFrame
    /// Why reading failed.
    public typealias Failure = VideoError

    let reader: VideoReader
    let count: Int

    /// Starts the thread that decodes.
    public func makeAsyncIterator() -> Iterator { Iterator(FrameQueue(reader, capacity: count)) }

    /// Takes frames in order.
    public struct Iterator: AsyncIteratorProtocol {
        private let queue: FrameQueue

        fileprivate init(_ queue: FrameQueue) { self.queue = queue }

        /// The next frame; nil at the end and when the task was cancelled.
        ///
        /// - Throws: as `VideoReader.next()` does.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(VideoError) -> VideoFrame? {
            try await queue.next(isolation: actor)
        }

        /// The next frame; nil at the end and when the task was cancelled.
        ///
        /// - Throws: as `VideoReader.next()` does.
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
        /// How it ended, once that is known; told once.
        var end: Outcome?
        var isOver = false
        var waiting: CheckedContinuation<Outcome, Never>?
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
        /// Places for frames. Counted up from 0, since a semaphore that ends below its first value is an error.
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

    /// Ends the thread and who waits for it; a video that has come to its end stays usable.
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
