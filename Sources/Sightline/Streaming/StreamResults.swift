/// A frame with its objects.
public struct AnalyzedFrame: Sendable {
    /// The frame, for example to draw on.
    public let frame: VideoFrame
    /// The objects in the frame.
    public let result: StreamResult

    /// Creates a frame with its result.
    public init(frame: VideoFrame, result: StreamResult) {
        self.frame = frame
        self.result = result
    }
}

extension StreamDetector {
    /// The frames of a stream with the objects in them.
    ///
    /// ```swift
    /// for try await analyzed in detector.results(in: camera.frames(), policy: .newest) {
    ///     print(analyzed.result.timestamp, analyzed.result.objects.count)
    /// }
    /// ```
    ///
    /// Each loop over the sequence begins a new stream. Frames are analyzed when the loop asks for them, off the caller's
    /// actor. The loop ends with the source, or with an error: of the source, of a frame, or of the task's cancellation. The
    /// frames that the source gave before its error come first. The source and the waiting frames are released in each case.
    ///
    /// - Parameters:
    ///   - frames: the source. With `.newest` and `.bounded` a separate task reads the source as fast as it gives frames, so
    ///     the source should give frames at the speed of the scene, as a camera does.
    ///   - policy: the treatment of frames that come too fast; by default no frame is dropped.
    public func results<Frames: AsyncSequence & Sendable>(
        in frames: Frames,
        policy: FramePolicy = .all
    ) -> StreamResults<Frames> where Frames.Element == VideoFrame {
        StreamResults(detector: self, frames: frames, policy: policy)
    }
}

/// The frames of a stream with the objects in them, from ``StreamDetector/results(in:policy:)``.
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

    /// The frames of a loop, in order.
    public struct Iterator: AsyncIteratorProtocol {
        private let detector: StreamDetector
        /// Nil after its end.
        private var source: FrameSource<Frames>?
        private var lookahead: Lookahead?
        /// The error of the source, which follows the frames that were read before it.
        private var failure: (any Error)?
        private var isStarted = false

        init(detector: StreamDetector, source: FrameSource<Frames>, lookahead: Lookahead?) {
            self.detector = detector
            self.source = source
            self.lookahead = lookahead
        }

        /// The next frame with its result; nil at the end, and after an error.
        ///
        /// - Throws: the errors of ``StreamDetector``, or the error of the frames, whose type their sequence chooses.
        public mutating func next() async throws -> AnalyzedFrame? {
            do {
                if !isStarted {
                    try await detector.reset()
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
            var result = try await detector.result(in: frame)
            result.droppedFrames = source?.droppedFrames ?? 0
            return AnalyzedFrame(frame: frame, result: result)
        }

        private mutating func nextAhead() async throws -> AnalyzedFrame? {
            do {
                while let lookahead, lookahead.isOpen, let frame = try await nextFrame() {
                    try await lookahead.add(frame)
                }
            } catch {
                try Task.checkCancellation()
                (source, failure) = (nil, error)
            }
            guard let first = lookahead?.takeFirst() else {
                if let failure { throw failure }
                return nil
            }
            let observation = try await withTaskCancellationHandler {
                try await first.observation.value
            } onCancel: {
                first.observation.cancel()
            }
            let result = try await detector.result(in: first.frame, observed: observation)
            return AnalyzedFrame(frame: first.frame, result: result)
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
