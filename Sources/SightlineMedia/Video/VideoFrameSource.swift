import Sightline

/// What a `VideoReader` reads from, one thread at a time.
protocol VideoFrameSource {
    var info: VideoInfo { get }

    /// The next frame, with its time and place in the stream; nil at the end, or when reading was ended from outside.
    func next() throws(VideoError) -> VideoFrame?

    /// Goes to the first frame that is shown at a time or later.
    func seek(to time: Duration) throws(VideoError)
}
