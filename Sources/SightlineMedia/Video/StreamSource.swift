import CFFmpeg
import Foundation
import Sightline

/// Frames of files, cameras and streams, which FFmpeg reads and decodes.
final class StreamSource: VideoFrameSource {
    let info: VideoInfo
    private let input: VideoInput
    private let request: InputHandle.Request
    private let options: VideoReaderOptions
    private let interruption: Interruption
    private let counters: VideoCounters

    private var handle: InputHandle
    private var timeBase: TimeBase
    /// Whether timestamps come from the sender. Otherwise, live frames have the time of their arrival.
    private let hasTimestamps: Bool
    /// The first timestamp, once it is known.
    private var start: Int64?
    private var clock: FrameClock
    private var selection: FrameSelection
    private var choice: PacketChoice
    private var nextIndex = 0
    /// The next frames, in the order of showing.
    private var ready: [Item] = []
    /// The size of the last decoded frame, as it is stored.
    private var lastSize = PixelSize(width: 1, height: 1)
    private var isAtEnd = false
    /// Whether the end of the input is not a failure: there were frames, or there need not be frames.
    private var mayEnd = false
    /// Attempts to connect since the last frame that was new.
    private var attempts = 0
    /// Whether nothing was read since the input was opened.
    private var isFresh = true
    /// Damaged pictures: those of earlier connections, and those that were skipped on the way to a time.
    private var (concealedBefore, concealedElsewhere) = (0, 0)
    /// The number of returned frames that are marked as damaged.
    private var markedFrames = 0
    /// Whether the server can send the input from any byte on.
    private var isSeekable = true
    /// The first packet of the first connection.
    private var fingerprint: UInt64?
    private let beginning = ContinuousClock.now
    private var lastArrival = ContinuousClock.now
    /// Whether the next frame is the first of a new connection.
    private var isResuming = false

    init(
        _ input: VideoInput,
        options: VideoReaderOptions,
        interruption: Interruption,
        counters: VideoCounters
    ) throws(VideoError) {
        try FFmpeg.use()
        let request = try InputHandle.Request(input)
        interruption.limit(input.isFileOrPipe ? nil : options.timeout)
        let handle = try InputHandle(request, input: input.name, options: options, interruption: interruption)
        let stated = handle.info
        let info = VideoInfo(stated, input: input)
        self.input = input
        self.request = request
        self.options = options
        self.interruption = interruption
        self.counters = counters
        self.handle = handle
        self.info = info
        timeBase = TimeBase(numerator: stated.timeNumerator, denominator: stated.timeDenominator)
        hasTimestamps = stated.hasTimestamps
        isSeekable = stated.isSeekable
        start = Self.start(stated, info)
        if input.isStream, !info.isLive { cff_input_expect_successor(handle.pointer) }
        counters.update { [failure = handle.hardwareFailure] in $0.hardwareFailure = failure }
        selection = FrameSelection(maximumRate: options.maximumFrameRate)
        choice = PacketChoice(options, info)
        clock = FrameClock(
            frameRate: info.frameRate,
            duration: info.duration,
            isLive: info.isLive,
            isSparse: options.keyFramesOnly
        )
    }

    /// A frame before it is returned.
    private enum Item {
        case decoded(FrameMemory, Duration, VideoFrame.Use?)
        /// A frame that was not decoded, and that the stream carries objects on to.
        case carried(Duration)
        /// A frame that was not decoded because it is not wanted.
        case leftOut

        var time: Duration? {
            switch self {
            case .decoded(_, let time, _), .carried(let time): time
            case .leftOut: nil
            }
        }
    }

    // MARK: Reading

    func next() throws(VideoError) -> VideoFrame? {
        while let item = try nextItem() {
            defer { nextIndex += 1 }
            switch item {
            case .decoded(let memory, let time, let use) where selection.takes(time):
                selection.take(time)
                return try frame(memory, at: time, use: use)
            case .carried(let time):
                let image = VisionImage(undecodedFrameOf: lastSize, orientation: info.orientation)
                return VideoFrame(
                    image: image,
                    timestamp: time,
                    index: nextIndex,
                    isDamaged: false,
                    use: VideoFrame.Use.none
                )
            default: break
            }
        }
        return nil
    }

    private func frame(
        _ memory: FrameMemory,
        at time: Duration,
        use: VideoFrame.Use?
    ) throws(VideoError) -> VideoFrame {
        let pixels = try handle.pixels(of: memory, input: input.name, codec: info.codec)
        let image = VisionImage(pixels: pixels, orientation: info.orientation)
        attempts = 0
        lastSize = pixels.size
        if memory.info.isDamaged { markedFrames += 1 }
        if memory.info.isInHardware { counters.update { $0.hardwareFrames += 1 } }
        countDamage()
        return VideoFrame(
            image: image,
            timestamp: time,
            index: nextIndex,
            isDamaged: memory.info.isDamaged,
            use: use
        )
    }

    /// Counts the damaged frames: a decoder with several threads counts all and does not mark all.
    private func countDamage() {
        let concealed = concealedBefore + Int(cff_input_concealed(handle.pointer)) - concealedElsewhere
        counters.update { $0.damagedFrames = max(markedFrames, concealed) }
    }

    /// Returns the next frame; nil at the end.
    private func nextItem() throws(VideoError) -> Item? {
        // Also after a new connection, which searches for the place of the old one.
        while ready.isEmpty, !isAtEnd {
            interruption.limit(input.isFileOrPipe ? nil : options.timeout)
            var frame: OpaquePointer?
            var code: Int32 = 0
            isFresh = false
            switch cff_input_step(handle.pointer, &frame, &code) {
            case CFFStepFrame:
                guard let frame else { throw .outOfMemory(input: input.name) }
                let memory = FrameMemory(frame)
                guard !isRepetition else {
                    isAtEnd = true
                    break
                }
                makeReady(memory)
            case CFFStepPacket:
                let code = decodeOrLeaveOutPacket()
                if code < 0 { try passOver(code) }
            case CFFStepDamaged:
                try passOver(code)
            case CFFStepEnd:
                countDamage()
                if input.isStream, info.isLive {
                    try reconnect(after: "the stream ended")
                } else {
                    for packet in choice.takePackets(upTo: nil) where !packet.isDecoded { makeReady(packet) }
                    try finish()
                }
            default:
                try handleFailure(code)
            }
        }
        return ready.isEmpty ? nil : ready.removeFirst()
    }

    /// Returns the next wanted frame.
    private func nextTimedItem() throws(VideoError) -> (Item, Duration)? {
        while let item = try nextItem() {
            if let time = item.time { return (item, time) }
        }
        return nil
    }

    /// Adds a decoded frame, and those before it that were left out.
    private func makeReady(_ memory: FrameMemory) {
        let packets = choice.takePackets(upTo: memory.info.hasTimestamp ? memory.info.timestamp : nil)
        for packet in packets where !packet.isDecoded { makeReady(packet) }
        let use = packets.last { $0.timestamp == memory.info.timestamp }?.use
        ready.append(.decoded(memory, time(of: memory.info), use))
    }

    /// Adds a frame that was left out.
    private func makeReady(_ packet: PacketChoice.Packet) {
        guard packet.use != nil, let start, let timestamp = packet.timestamp else { return ready.append(.leftOut) }
        ready.append(.carried(clock.time(stated: timeBase.duration(from: start, to: timestamp))))
    }

    /// Decodes the packet that was read, if its frame or another frame needs that; returns the code of an error, or 0.
    private func decodeOrLeaveOutPacket() -> Int32 {
        guard choice.isNeeded else { return cff_input_decode_packet(handle.pointer) }
        var packet = CFFPacketInfo()
        cff_input_packet(handle.pointer, &packet)
        var time: Duration?
        if packet.hasTimestamp, !info.isLive, let start,
            let stated = timeBase.duration(from: start, to: packet.timestamp)
        {
            time = clock.expectedTime(stated: stated)
        }
        guard choice.takes(packet, at: time) else {
            cff_input_leave_out_packet(handle.pointer)
            counters.update { $0.undecodedFrames += 1 }
            return 0
        }
        return cff_input_decode_packet(handle.pointer)
    }

    /// Counts a packet that cannot be decoded.
    private func passOver(_ code: Int32) throws(VideoError) {
        if cff_error_kind(code) == CFFErrorNoMemory { throw .outOfMemory(input: input.name) }
        counters.update { $0.damagedPackets += 1 }
        // A sender of only damaged packets counts as silent.
        if info.isLive, ContinuousClock.now - lastArrival > options.timeout {
            try reconnect(after: "nothing that arrives can be decoded")
        }
    }

    /// Whether a new connection gives the same video from its beginning again, as a server does for a file whose length it does not
    /// state. A camera's first packet differs each time, except for MJPEG without a picture.
    private var isRepetition: Bool {
        guard input.isStream, info.isLive, info.codec != "mjpeg" else { return false }
        let current = cff_input_fingerprint(handle.pointer)
        guard let fingerprint else {
            fingerprint = current
            return false
        }
        return isResuming && current == fingerprint
    }

    /// The reason for which a file is cut off, by the lengths that its format states.
    private func missingEnd() -> String? {
        guard case .file(let url) = input else { return nil }
        return StatedEnd.missing(in: url)
    }

    private func finish() throws(VideoError) {
        isAtEnd = true
        if !info.isLive, counters.values.earlyEnd == nil, let reason = handle.missingPart() ?? missingEnd() {
            counters.update { $0.earlyEnd = reason }
        }
        guard mayEnd || !input.isPipe else {
            throw .notStreamable(input: input.name, reason: "no frame could be decoded")
        }
        guard mayEnd else { throw .noFrames(input: input.name, damagedPackets: counters.values.damagedPackets) }
    }

    private func handleFailure(_ code: Int32) throws(VideoError) {
        guard !interruption.isCancelled else {
            isAtEnd = true
            return
        }
        switch (cff_error_kind(code), input) {
        case (CFFErrorNoMemory, _):
            throw .outOfMemory(input: input.name)
        case (_, .file), (_, .pictures), (_, .pictureFiles), (_, .pipe):
            counters.update { $0.earlyEnd = FFmpeg.reason(code) }
            try finish()
        case _ where !info.isLive && !isSeekable && !mayEnd:
            // The demuxer went to the index at the end, and cannot go back to the frames.
            throw .notSeekableAddress(input: input.name)
        case (CFFErrorInterrupted, _):
            try reconnect(after: "nothing arrived within \(options.timeout)")
        default:
            try reconnect(after: FFmpeg.reason(code))
        }
    }

    /// The time of a frame, which is later than the previous frame's time.
    private func time(of frame: CFFFrameInfo) -> Duration {
        let arrival = ContinuousClock.now
        var stated: Duration?
        if frame.hasTimestamp, hasTimestamps || !info.isLive {
            let start = start ?? frame.timestamp
            self.start = start
            stated = timeBase.duration(from: start, to: frame.timestamp)
        }
        if isResuming {
            isResuming = false
            if info.isLive { clock.resume(after: arrival - lastArrival, stated: stated) }
        }
        let time = clock.time(stated: stated, arrival: info.isLive ? arrival - beginning : nil)
        counters.update { $0.timestampJumps = clock.jumps }
        lastArrival = arrival
        mayEnd = true
        return time
    }

    // MARK: Reconnecting

    /// Reconnects a stream, with growing pauses and up to the allowed number of attempts.
    ///
    /// - Throws: `VideoError.lost` after the last attempt.
    private func reconnect(after reason: String) throws(VideoError) {
        var reason = reason
        while input.isStream, attempts < options.reconnects {
            // Half a second at first, then twice the last pause, at most eight seconds.
            let wait = Duration.milliseconds(500 << min(attempts, 4))
            attempts += 1
            guard interruption.sleep(wait) else {
                isAtEnd = true
                return
            }
            interruption.limit(options.timeout)
            do throws(VideoError) {
                try open()
                counters.update { $0.reconnects += 1 }
                isResuming = true
                if !info.isLive, let last = clock.last { try seek(to: last + .milliseconds(1)) }
                return
            } catch {
                // Continuing to the last time connects, too.
                if case .lost = error { throw error }
                reason = error.failure
            }
        }
        isAtEnd = true
        guard !interruption.isCancelled else { return }
        throw .lost(input: input.name, reason: reason, attempts: attempts)
    }

    /// Opens the input again, at its beginning.
    private func open() throws(VideoError) {
        concealedBefore += Int(cff_input_concealed(handle.pointer))
        handle = try InputHandle(request, input: input.name, options: options, interruption: interruption)
        let stated = handle.info
        timeBase = TimeBase(numerator: stated.timeNumerator, denominator: stated.timeDenominator)
        start = Self.start(stated, info)
        if input.isStream, !info.isLive { cff_input_expect_successor(handle.pointer) }
        isFresh = true
        choice.reset()
    }

    /// A live input begins with its first frame.
    private static func start(_ stated: CFFInputInfo, _ info: VideoInfo) -> Int64? {
        stated.hasStart && !info.isLive ? stated.start : nil
    }

    // MARK: Going to another time

    /// The inaccuracy of times in containers.
    private static let timeTolerance = Duration.microseconds(500)

    func seek(to time: Duration) throws(VideoError) {
        selection.reset()
        if info.isLive || input.isPipe {
            // Such an input reaches that time without a seek.
            guard !mayEnd else { throw .notSeekable(input: input.name) }
            return try skip(to: time)
        }
        ready = []
        isAtEnd = false
        mayEnd = true
        choice.start = time - Self.timeTolerance
        defer { choice.start = nil }
        // Key frames lie where the demuxer finds them, by timestamps of decoding that may lie before those of showing: where
        // the first frame comes too late, the search begins further back.
        for margin in [Duration.zero, .seconds(2), .seconds(15)] where time > margin {
            // An input without a duration, such as a raw stream, has no times for a search.
            guard info.duration != nil, go(to: time - margin) else { break }
            clock.forget()
            guard let (item, first) = try nextTimedItem() else { return }
            if first <= time {
                ready.insert(item, at: 0)
                return try skip(to: time)
            }
            ready = []
            isAtEnd = false
        }
        if !isFresh, info.duration == nil || !go(to: .zero) { try open() }
        clock.forget()
        try skip(to: time)
    }

    private func go(to time: Duration) -> Bool {
        isFresh = false
        choice.reset()
        return cff_input_seek(handle.pointer, timeBase.timestamp(time, after: start ?? 0)) >= 0
    }

    /// Skips all frames before a time.
    private func skip(to time: Duration) throws(VideoError) {
        while let (item, shown) = try nextTimedItem() {
            guard shown >= time - Self.timeTolerance else { continue }
            if let rate = info.frameRate { nextIndex = Int(clampingRounded: shown / .seconds(1) * rate) }
            // Damage before that time does not matter.
            concealedElsewhere = concealedBefore + Int(cff_input_concealed(handle.pointer))
            ready.insert(item, at: 0)
            return
        }
    }
}
