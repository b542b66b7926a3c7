/// A frame and what was found in it.
public struct AnalyzedFrame: Sendable {
    /// The frame, for example to draw on.
    public let frame: VideoFrame
    /// What was found.
    public let result: StreamResult

    /// A frame with its result.
    public init(frame: VideoFrame, result: StreamResult) {
        self.frame = frame
        self.result = result
    }
}

extension StreamDetector {
    /// The frames of a stream with the objects in them.
    ///
    /// ```swift
    /// for try await analyzed in detector.results(of: camera.frames(), policy: .newest) {
    ///     print(analyzed.result.timestamp, analyzed.result.objects.map(\.id))
    /// }
    /// ```
    ///
    /// Each loop over the sequence begins a new stream; frames are analysed when the loop asks for them, off the caller's
    /// actor. It ends with the source, or throws what the source, a frame (as ``results(in:at:)`` does) or the
    /// cancellation of the task throws. However it ends, the source is let go and frames that wait are freed.
    ///
    /// - Parameters:
    ///   - frames: the source. With `.newest` and `.bounded` it is read on a task of its own as fast as it gives frames, so
    ///     that it should be one that comes in time with the world.
    ///   - policy: what becomes of frames that come too fast.
    public func results<Frames: AsyncSequence & Sendable>(
        of frames: Frames,
        policy: FramePolicy
    ) -> StreamResults<Frames> where Frames.Element == VideoFrame {
        StreamResults(detector: self, frames: frames, policy: policy)
    }
}

/// The frames of a stream with the objects in them, from ``StreamDetector/results(of:policy:)``.
public struct StreamResults<Frames: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Frames.Element == VideoFrame {
    let detector: StreamDetector
    let frames: Frames
    let policy: FramePolicy

    /// Begins a new stream.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            detector: detector,
            source: FrameSource(frames, policy: policy),
            lookahead: policy == .all ? Lookahead(for: detector) : nil
        )
    }

    /// Gives one frame after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let detector: StreamDetector
        /// Nil when it has come to its end.
        private var source: FrameSource<Frames>?
        private var lookahead: Lookahead?
        private var isStarted = false

        init(detector: StreamDetector, source: FrameSource<Frames>, lookahead: Lookahead?) {
            self.detector = detector
            self.source = source
            self.lookahead = lookahead
        }

        /// The next frame with its result; nil at the end, and after an error.
        public mutating func next() async throws -> AnalyzedFrame? {
            do {
                if !isStarted {
                    try await detector.begin()
                    isStarted = true
                }
                return try await lookahead == nil ? nextInTurn() : nextAhead()
            } catch {
                (source, lookahead) = (nil, nil)
                throw error
            }
        }

        private mutating func nextInTurn() async throws -> AnalyzedFrame? {
            guard let frame = try await nextFrame() else { return nil }
            return AnalyzedFrame(frame: frame, result: try await detector.result(of: frame))
        }

        private mutating func nextAhead() async throws -> AnalyzedFrame? {
            while let lookahead, lookahead.isOpen, let frame = try await nextFrame() { lookahead.add(frame) }
            guard let first = lookahead?.takeFirst() else { return nil }
            let view = try await withTaskCancellationHandler {
                try await first.view.value
            } onCancel: {
                first.view.cancel()
            }
            return AnalyzedFrame(frame: first.frame, result: try await detector.result(of: first.frame, seen: view))
        }

        private mutating func nextFrame() async throws -> VideoFrame? {
            guard let frame = try await source?.next() else {
                try Task.checkCancellation()
                source = nil
                return nil
            }
            return frame
        }
    }
}
