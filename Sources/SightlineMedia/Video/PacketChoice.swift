import CFFmpeg
import Sightline

/// Chooses the packets of a video that are decoded: those whose frames somebody wants, and those that other frames refer to.
struct PacketChoice {
    /// Frames before this time are not wanted; nil for all frames.
    var start: Duration?
    private let keyFramesOnly: Bool
    private let selection: FrameSelection
    /// The earliest time of a packet in each part of the selection.
    private var earliest: [Double: Duration] = [:]
    /// The timestamps of packets that were left out, whose frames would come later; nil for packets without a timestamp.
    private var leftOut: [Int64?] = []

    /// A part is forgotten when so many others have begun. Packets come in the order of decoding, which differs from that of showing
    /// by at most 16 frames.
    private static let rememberedParts = 64

    init(_ selection: FrameSelection, keyFramesOnly: Bool) {
        self.selection = selection
        self.keyFramesOnly = keyFramesOnly
    }

    /// Whether to decode a packet.
    ///
    /// - Parameter time: the time of its frame; nil if that is not certain before the frame is decoded.
    mutating func takes(_ packet: CFFPacketInfo, at time: Duration?) -> Bool {
        let isWanted = isWanted(packet, at: time)
        if !isWanted { leftOut.append(packet.hasTimestamp ? packet.timestamp : nil) }
        return isWanted
    }

    private mutating func isWanted(_ packet: CFFPacketInfo, at time: Duration?) -> Bool {
        if keyFramesOnly { return packet.isKey }
        guard let time else { return true }
        if let start, time < start { return packet.isReference }
        guard let part = selection.part(of: time) else { return true }
        // Of each part the selection takes the first frame.
        if let known = earliest[part], known < time { return packet.isReference }
        earliest[part] = time
        if earliest.count > Self.rememberedParts, let oldest = earliest.keys.min() { earliest[oldest] = nil }
        return true
    }

    /// Returns the number of frames before another one that were left out, and forgets them.
    ///
    /// - Parameter timestamp: the other frame's timestamp; nil if it has none.
    mutating func takeLeftOut(before timestamp: Int64?) -> Int {
        let count = leftOut.count
        guard let timestamp else {
            leftOut = []
            return count
        }
        leftOut.removeAll { $0.map { $0 < timestamp } ?? true }
        return count - leftOut.count
    }

    /// Forgets all packets, before going to another time.
    mutating func reset() { (earliest, leftOut) = ([:], []) }
}
