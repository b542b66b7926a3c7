/// The source of a stream's next frame, by the stream's policy.
enum FrameSource<Frames: AsyncSequence & Sendable> where Frames.Element == VideoFrame {
    /// The frames themselves, read one by one.
    case direct(Frames.AsyncIterator)
    /// The newest frames, which a task reads ahead.
    case buffered(AsyncThrowingStream<VideoFrame, any Error>.AsyncIterator)

    init(_ frames: Frames, policy: FramePolicy) {
        switch policy {
        case .newest: self = .buffered(Self.buffer(frames, count: 1))
        case .bounded(let count): self = .buffered(Self.buffer(frames, count: max(count, 1)))
        case .all: self = .direct(frames.makeAsyncIterator())
        }
    }

    private static func buffer(
        _ frames: Frames,
        count: Int
    ) -> AsyncThrowingStream<VideoFrame, any Error>.AsyncIterator {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: VideoFrame.self,
            bufferingPolicy: .bufferingNewest(count)
        )
        let reading = Task {
            do {
                for try await frame in frames {
                    if case .terminated = continuation.yield(frame) { break }
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
        switch self {
        case .direct(var frames):
            let frame = try await frames.next()
            self = .direct(frames)
            return frame
        case .buffered(var frames):
            let frame = try await frames.next()
            self = .buffered(frames)
            return frame
        }
    }
}
