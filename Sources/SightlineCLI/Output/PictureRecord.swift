import Sightline

/// What is said about one picture.
struct PictureRecord: Sendable {
    enum Findings: Sendable {
        /// Objects, and how many more were found than asked for.
        case objects([DetectedObject], omitted: Int = 0)
        case labels([Label])
    }

    enum Outcome: Sendable {
        case found(Findings, size: PixelSize, timings: StageTimings)
        /// One sentence: what is wrong and what to do.
        case failed(String)
    }

    /// The picture's name, as ``Input/name``.
    let image: String
    let outcome: Outcome
}
