/// The role of a frame in a stream whose detector does not run on every frame.
enum FrameRole: Sendable {
    /// The detector runs.
    case detection
    /// Boxes are carried on to where their objects are expected.
    case motion
    /// Nothing has changed since the detector ran: boxes stay where they are.
    case rest
}
