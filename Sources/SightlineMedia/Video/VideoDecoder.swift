/// The part of the machine that decodes videos.
public enum VideoDecoder: String, Sendable, Hashable, CaseIterable {
    /// The processor.
    case software
    /// The graphics processor, by VA-API on Linux. Where it cannot decode a video, the processor does, and
    /// ``VideoReadingStatistics`` says so.
    case vaapi
}
