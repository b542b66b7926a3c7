import CFFmpeg
import Sightline

/// Plans on which frames of a file the detector runs: on one frame of each part of the video.
///
/// The plan prefers a frame that is decoded anyway, because others refer to it. It decides on each packet before that is decoded, and
/// does not depend on what is decoded, so that the results are the same if all frames are needed for a drawing.
struct DetectionPlan {
    private let parts: FrameSelection
    /// The last parts that have a frame for the detector.
    private var planned: [Double] = []

    /// Packets come in the order of decoding, which differs from that of showing by at most 16 frames.
    private static let rememberedParts = 64

    /// Plans the detector for every n-th frame; nil for every frame, and for a video whose frame rate is not known.
    init?(every count: Int, frameRate: Double?) {
        guard count > 1, let frameRate else { return nil }
        parts = FrameSelection(maximumRate: frameRate / Double(count))
    }

    /// The use of a packet's frame.
    mutating func use(of packet: CFFPacketInfo, at time: Duration) -> VideoFrame.Use {
        if let part = parts.part(of: time), !planned.contains(part) {
            planned.append(part)
            if planned.count > Self.rememberedParts { planned.removeFirst() }
            return .detection
        }
        return packet.isReference ? .motion : .none
    }

    /// Forgets all packets, before going to another time.
    mutating func reset() { planned = [] }
}
