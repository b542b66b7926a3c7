/// The treatment of frames that come faster than the detector works.
public enum FramePolicy: Sendable, Hashable {
    /// Only the newest frame waits; older frames are dropped. For cameras, whose late results are worthless.
    case newest
    /// At most this number of frames wait, at least one frame; a further frame drops the oldest of them. For cameras whose
    /// short bursts should be kept.
    case bounded(Int)
    /// No frame is dropped; the source waits until its next frame is wanted. For files.
    case all
}
