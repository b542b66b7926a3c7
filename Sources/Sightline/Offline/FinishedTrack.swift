/// An object of a whole video, from an ``OfflineTracker``: where it is in each frame between its first and its last sighting.
public struct FinishedTrack: Sendable, Hashable {
    /// Where the object is in a frame.
    public struct Place: Sendable, Hashable {
        /// The left, upper, right and lower edge, in half the memory of a `PixelRect`.
        var edges: SIMD4<Float>
        private let position: Int32
        /// The confidence of the detection, 0…1; in a filled gap that of the detection before it.
        public let confidence: Float
        /// Whether the detector saw the object in this frame; otherwise the place is filled in.
        public let isDetected: Bool

        init(frame: Int, edges: SIMD4<Float>, confidence: Float, isDetected: Bool) {
            self.edges = edges
            self.confidence = confidence
            self.isDetected = isDetected
            position = Int32(clamping: frame)
        }

        /// The place of the frame among all frames of the stream, from 0.
        public var frame: Int { Int(position) }

        /// The box, in pixels of the upright picture, to about a thousandth of a pixel.
        public var box: PixelRect {
            let (left, top) = (Double(edges[0]), Double(edges[1]))
            return PixelRect(x: left, y: top, width: Double(edges[2]) - left, height: Double(edges[3]) - top)
        }
    }

    /// The identity: 1 for the object that is seen first, and so on.
    public let id: Int
    /// The detector's class; nil if the detector knows no classes.
    public let classIndex: Int?
    /// The names of the object over all its detections, most confident first.
    public let labels: [Label]
    /// The places in the order of the frames, at most one for each frame. The first and the last are detections.
    public let places: [Place]
    /// The masks and points of the detections, by their frames.
    let details: [Int: PackedDetection]
}
