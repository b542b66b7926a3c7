/// The source of a stream's next frame, by the stream's policy.
struct FrameSource<Frames: AsyncSequence & Sendable> where Frames.Element == VideoFrame {
    /// A frame with its number among those that the source gave.
    private typealias Numbered = (number: Int, frame: VideoFrame)

    private enum Reading {
        /// The frames themselves, read one by one.
        case direct(Frames.AsyncIterator)
        /// The newest frames, which a task reads ahead.
        case buffered(AsyncThrowingStream<Numbered, any Error>.AsyncIterator)
    }

    private var reading: Reading
    private var taken = 0
    /// The number of frames before the last one that the policy dropped.
    private(set) var droppedFrames = 0

    init(_ frames: Frames, policy: FramePolicy) {
        switch policy {
        case .newest: reading = .buffered(Self.buffer(frames, count: 1))
        case .bounded(let count): reading = .buffered(Self.buffer(frames, count: max(count, 1)))
        case .all: reading = .direct(frames.makeAsyncIterator())
        }
    }

    private static func buffer(
        _ frames: Frames,
        count: Int
    ) -> AsyncThrowingStream<Numbered, any Error>.AsyncIterator {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Numbered.self,
            bufferingPolicy: .bufferingNewest(count)
        )
        let reading = Task {
            do {
                var number = 0
                for try await frame in frames {
                    if case .terminated = continuation.yield((number, frame)) { break }
                    number += 1
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        // Runs whenever the loop ends, also when the iterator is released.
        continuation.onTermination = { _ in reading.cancel() }
        return stream.makeAsyncIterator()
    }

    mutating func next() async throws -> VideoFrame? {
        switch reading {
        case .direct(var frames):
            let frame = try await frames.next()
            reading = .direct(frames)
            return frame
        case .buffered(var frames):
            let next = try await frames.next()
            reading = .buffered(frames)
            guard let next else { return nil }
            droppedFrames = next.number - taken
            taken += 1
            return next.frame
        }
    }
}
