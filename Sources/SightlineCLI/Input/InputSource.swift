/// The pictures of a run, one after another.
protocol InputSource: Sendable {
    /// Returns the next picture; nil at the end. Waits, if it has to, without blocking the threads of other pictures. There is at most
    /// one call at a time.
    func next() async -> Input?

    /// The reason why the end came too early; nil if the run was complete.
    var failure: (any Error)? { get }
}

extension InputSource {
    var failure: (any Error)? { nil }
}
