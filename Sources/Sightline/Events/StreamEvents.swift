extension StreamDetector {
    /// The events of a stream, in order, next to ``results(in:policy:)``.
    ///
    /// ```swift
    /// let door = LineZone(from: PixelPoint(x: 320, y: 0), to: PixelPoint(x: 320, y: 480), name: "door")
    /// for try await event in detector.events(in: video.frames(), history: StreamHistory(lines: [door])) {
    ///     if case .line(let crossing) = event { print(crossing.label, crossing.direction, crossing.time) }
    /// }
    /// ```
    ///
    /// The loop ends as a loop over the results does. The events of the objects that remain come last.
    ///
    /// - Parameters:
    ///   - frames: the source, as for the results.
    ///   - policy: the treatment of frames that come too fast; by default no frame is dropped.
    ///   - history: the lines and zones; without them, only events of objects come.
    public func events<Frames: AsyncSequence & Sendable>(
        in frames: Frames,
        policy: FramePolicy = .all,
        history: StreamHistory = StreamHistory()
    ) -> StreamEvents<Frames> where Frames.Element == VideoFrame {
        StreamEvents(results: results(in: frames, policy: policy), history: history)
    }
}

/// The events of a stream, from ``StreamDetector/events(in:policy:history:)``.
public struct StreamEvents<Frames: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Frames.Element == VideoFrame {
    let results: StreamResults<Frames>
    let history: StreamHistory

    /// Begins a new stream.
    public func makeAsyncIterator() -> Iterator {
        Iterator(results: results.makeAsyncIterator(), history: history)
    }

    /// The events of a loop, in order.
    public struct Iterator: AsyncIteratorProtocol {
        /// Nil after its end.
        private var results: StreamResults<Frames>.Iterator?
        private var history: StreamHistory
        private var waiting: ArraySlice<StreamEvent> = []

        init(results: StreamResults<Frames>.Iterator, history: StreamHistory) {
            (self.results, self.history) = (results, history)
        }

        /// The next event; nil at the end, and after an error.
        ///
        /// - Throws: the errors of ``StreamDetector``, or the error of the frames, whose type their sequence chooses.
        public mutating func next() async throws -> StreamEvent? {
            while waiting.isEmpty {
                guard results != nil else { return nil }
                do {
                    if let analyzed = try await results?.next() {
                        waiting = history.update(analyzed.result)[...]
                    } else {
                        results = nil
                        waiting = history.finish()[...]
                    }
                } catch {
                    results = nil
                    throw error
                }
            }
            return waiting.popFirst()
        }
    }
}
