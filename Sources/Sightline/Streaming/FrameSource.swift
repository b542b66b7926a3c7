/// Where the next frame of a stream comes from, as its policy says.
enum FrameSource<Frames: AsyncSequence & Sendable> where Frames.Element == VideoFrame {
    /// From the source itself, when it is asked.
    case direct(Frames.AsyncIterator)
    /// From a task that reads the source and keeps the newest frames.
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
        // Called when the loop ends for whatever reason, the iterator's end of life included.
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
