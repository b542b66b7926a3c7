import Sightline

/// A source of frames for `VideoReader`. One thread at a time uses it.
protocol VideoFrameSource {
    var info: VideoInfo { get }

    /// Reads the next frame with its time and index; nil at the end, and after a cancellation.
    func next() throws(VideoError) -> VideoFrame?

    /// Goes to the first frame at a time or later.
    func seek(to time: Duration) throws(VideoError)
}
