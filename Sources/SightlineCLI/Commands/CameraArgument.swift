import ArgumentParser

/// The value of `--camera`.
enum CameraArgument: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// The camera may move; its motion is estimated.
    case auto
    /// The camera stands still.
    case fixed
}
