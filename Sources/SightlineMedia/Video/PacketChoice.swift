import CFFmpeg
import Sightline

/// Chooses the packets of a video that are decoded: those whose frames are wanted, and those that other frames refer to.
struct PacketChoice {
    /// A packet whose frame is still to come.
    struct Packet {
        /// Nil for a packet without a timestamp.
        let timestamp: Int64?
        let isDecoded: Bool
        /// The use of its frame; nil without a plan.
        let use: VideoFrame.Use?

        /// The place in the order of showing. A packet without a timestamp comes first.
        fileprivate var place: Int64 { timestamp ?? .min }
    }

    /// Frames before this time are not wanted; nil for all frames.
    var start: Duration?
    private let keyFramesOnly: Bool
    private let selection: FrameSelection
    private let decodesAllFrames: Bool
    private var plan: DetectionPlan?
    /// The earliest time of a packet in each part of the selection.
    private var earliest: [Double: Duration] = [:]
    private var packets: [Packet] = []

    /// A part is forgotten when so many others have begun. Packets come in the order of decoding, which differs from that of showing
    /// by at most 16 frames.
    private static let rememberedParts = 64

    init(_ options: VideoReaderOptions, _ info: VideoInfo) {
        selection = FrameSelection(maximumRate: options.maximumFrameRate)
        keyFramesOnly = options.keyFramesOnly
        decodesAllFrames = options.decodesAllFrames
        if !info.isLive, !keyFramesOnly, options.maximumFrameRate == nil {
            plan = DetectionPlan(every: options.detectionInterval, frameRate: info.frameRate)
        }
    }

    /// Whether any packet might be left out.
    var isNeeded: Bool { keyFramesOnly || start != nil || plan != nil || selection.isLimited }

    /// Whether to decode a packet.
    ///
    /// - Parameter time: the time of its frame; nil if that is not certain before the frame is decoded.
    mutating func takes(_ packet: CFFPacketInfo, at time: Duration?) -> Bool {
        let (isWanted, use) = judgment(of: packet, at: time)
        let timestamp = packet.hasTimestamp ? packet.timestamp : nil
        packets.append(Packet(timestamp: timestamp, isDecoded: isWanted, use: use))
        return isWanted
    }

    private mutating func judgment(
        of packet: CFFPacketInfo,
        at time: Duration?
    ) -> (isWanted: Bool, use: VideoFrame.Use?) {
        if keyFramesOnly { return (packet.isKey, nil) }
        guard let time else { return (true, nil) }
        if let start, time < start { return (packet.isReference, nil) }
        if let use = plan?.use(of: packet, at: time) { return (decodesAllFrames || use != .none, use) }
        guard let part = selection.part(of: time) else { return (true, nil) }
        // Of each part the selection takes the first frame.
        if let known = earliest[part], known < time { return (packet.isReference, nil) }
        earliest[part] = time
        if earliest.count > Self.rememberedParts, let oldest = earliest.keys.min() { earliest[oldest] = nil }
        return (true, nil)
    }

    /// Returns the packets whose frames come up to a time, in the order of their frames, and forgets them.
    ///
    /// - Parameter timestamp: the time; nil for all packets.
    mutating func takePackets(upTo timestamp: Int64?) -> [Packet] {
        packets.sort { $0.place < $1.place }
        let count = packets.prefix { $0.place <= timestamp ?? .max }.count
        defer { packets.removeFirst(count) }
        return Array(packets[..<count])
    }

    /// Forgets all packets, before going to another time.
    mutating func reset() {
        (earliest, packets) = ([:], [])
        plan?.reset()
    }
}
