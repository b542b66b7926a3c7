/// What becomes of frames that come faster than they can be worked off.
public enum FramePolicy: Sendable, Hashable {
    /// The newest frame waits, older ones are dropped: for cameras, where a late result is worth nothing.
    case newest
    /// At most so many frames wait, at least one; one more drops the oldest of them: for cameras whose short bursts should
    /// be kept.
    case bounded(Int)
    /// None is dropped; the source waits until its frame is wanted: for files.
    case all
}
