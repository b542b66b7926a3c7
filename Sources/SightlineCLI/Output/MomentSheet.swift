import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia
import Synchronization
import TextFormatting

/// The moments of videos that a person should look at before the videos are published: objects that were hidden and never found with much
/// confidence, and places that may hold an object and are visible.
///
/// An object that lasts for several frames is one moment, shown where it has the most confidence, as the new video shows it.
final class MomentSheet: Sendable {
    fileprivate struct Moment {
        let video: String
        var id: Int?
        let isHidden: Bool
        /// The greatest confidence.
        var confidence: Float
        /// When it has that confidence.
        var time: Duration
        /// Its last sighting.
        var last: (time: Duration, frame: PixelRect)
        var view: View
    }

    /// The pictures of a moment, small.
    fileprivate struct View {
        /// The whole frame.
        let whole: Data
        /// The surroundings of the place.
        let part: Data
        /// The place in its surroundings.
        let place: PixelRect
    }

    fileprivate struct State {
        /// The moments that the next frames may continue.
        var open: [Moment] = []
        var past: [Moment] = []
        /// The present video.
        var video = ""
        /// The objects of the present video that were found with much confidence.
        var sure: Set<Int> = []
        var omitted = 0
    }

    /// The doubts about objects of the present video.
    let confidence: DoubtfulConfidence
    private let path: String
    private let namesVideos: Bool
    private let state = Mutex(State())

    /// A place that is not seen for this time is another moment when it is seen again.
    private static let pause = Duration.seconds(1)
    /// The overlap, as an IoU, from which a place is that of the frames before.
    fileprivate static let sameShare = 0.3
    /// The longer side of a picture, in pixels.
    private static let side = 200
    /// The largest number of moments, for their memory: as many as a sheet has room for.
    fileprivate static let mostMoments = 1000

    /// - Parameters:
    ///   - path: the file of the sheet.
    ///   - threshold: the confidence from which an object is hidden.
    ///   - namesVideos: whether there are several videos.
    init(path: String, threshold: Float, namesVideos: Bool) {
        (self.path, confidence, self.namesVideos) = (path, DoubtfulConfidence(threshold: threshold), namesVideos)
    }

    /// Notes what is doubtful in a frame.
    ///
    /// - Parameters:
    ///   - result: the objects, which are hidden, and the detections that belong to none.
    ///   - hidden: the parts of the frame that are hidden.
    ///   - drawn: the frame, as the new video has it.
    ///   - video: the name of the video.
    func add(_ result: StreamResult, _ hidden: CoverPlanner.HiddenParts, drawn: VisionImage, video: String) throws {
        try state.withLock { state in
            state.video = video
            state.endMoments(before: result.timestamp - Self.pause)
            var frame = Frame(result: result, drawn: drawn)
            for object in result.objects + result.tentative where object.track?.isDetected != false {
                if object.objectConfidence >= confidence.highest {
                    state.forget(object)
                } else if object.id.map({ !state.sure.contains($0) }) ?? true {
                    try state.note(object, isHidden: true, in: &frame)
                }
            }
            for place in result.leftOver where !hidden.covers.contains(where: { $0.covers(place.frame) }) {
                if !hidden.masks.contains(where: { $0.covers(place.frame) }) {
                    try state.note(place, isHidden: false, in: &frame)
                }
            }
        }
    }

    /// The moments so far, in the order of their times: when each has the most confidence, and whether it is hidden.
    var moments: [(time: Duration, isHidden: Bool)] {
        state.withLock { ($0.past + $0.open).map { ($0.time, $0.isHidden) } }.sorted { $0.time < $1.time }
    }

    /// Ends a video.
    func endVideo() {
        state.withLock { state in
            state.endMoments(before: nil)
            state.sure = []
        }
    }

    /// Draws the sheet, writes it, and reports its contents. Without moments, no sheet is written.
    ///
    /// - Throws: an exit code after a message.
    func write() async throws {
        let (moments, omitted) = state.withLock { ($0.past, $0.omitted) }
        guard !moments.isEmpty else { return confidence.reportNothing() }
        try await ContactSheet(rows: rows(of: moments)).write(to: path)
        let visible = moments.count { !$0.isHidden }
        let shown = NumberText.count(moments.count, "moment")
        DoubtfulConfidence.report(path, shown, visible: visible, hidden: moments.count - visible)
        if omitted > 0 { StandardError.report("\(NumberText.count(omitted, "further moment")) are not on it.") }
    }

    /// The rows for each second: the whole frame, and the places in it, those that are visible first, the most likely one before others.
    private func rows(of moments: [Moment]) -> [[ContactSheet.Cell]] {
        var rows: [[Moment]] = []
        var order: [String: Int] = [:]
        for moment in moments where order[moment.video] == nil { order[moment.video] = order.count }
        let sorted = moments.sorted { ((order[$0.video] ?? 0), $0.time) < ((order[$1.video] ?? 0), $1.time) }
        for moment in sorted {
            if let first = rows.last?.first, first.video == moment.video, moment.time - first.time < .seconds(1) {
                rows[rows.count - 1].append(moment)
            } else {
                rows.append([moment])
            }
        }
        return rows.map { row in
            let name = row.first.map { (namesVideos ? $0.video + " " : "") + ClockText.text($0.time) } ?? ""
            let whole = row.first?.view.whole ?? Data()
            let visible = row.filter { !$0.isHidden }.sorted { $0.confidence > $1.confidence }
            let hidden = row.filter(\.isHidden).sorted { $0.confidence < $1.confidence }
            return [ContactSheet.Cell(source: .bytes(whole), caption: name, color: .black)]
                + (visible + hidden).map {
                    ContactSheet.Cell(
                        $0.view.place,
                        of: .bytes($0.view.part),
                        isHidden: $0.isHidden,
                        confidence: $0.confidence
                    )
                }
        }
    }

    /// A frame, of which pictures are made when they are needed.
    fileprivate struct Frame {
        let result: StreamResult
        let drawn: VisionImage
        private var pixels: PixelBuffer?
        private var whole: Data?

        init(result: StreamResult, drawn: VisionImage) { (self.result, self.drawn) = (result, drawn) }

        /// The pictures of a place; nil if it lies outside.
        mutating func view(of place: PixelRect) throws -> View? {
            let upright = try pixels ?? drawn.upright()
            pixels = upright
            let small = try whole ?? Self.small(upright).data
            whole = small
            guard let area = ContactSheet.Cell.part(around: place).intersection(PixelRect(upright.size)),
                let part = try ObjectCrop.crop(upright, to: area)
            else { return nil }
            let (data, scale) = try Self.small(part)
            let (left, top) = (area.x.rounded(.down), area.y.rounded(.down))
            let inside = PixelRect(
                x: (place.x - left) * scale,
                y: (place.y - top) * scale,
                width: place.width * scale,
                height: place.height * scale
            )
            return View(whole: small, part: data, place: inside)
        }

        /// A picture as a file of at most 200 pixels, and its scale.
        private static func small(_ pixels: PixelBuffer) throws -> (data: Data, scale: Double) {
            let scale = min(Double(MomentSheet.side) / Double(max(pixels.width, pixels.height)), 1)
            let size = PixelSize(
                width: max(Int((Double(pixels.width) * scale).rounded()), 1),
                height: max(Int((Double(pixels.height) * scale).rounded()), 1)
            )
            return (try VisionImage(pixels: pixels).upright(in: size).encoded(as: .jpeg), scale)
        }
    }
}

extension MomentSheet.State {
    /// Ends the moments whose last sighting is before a time; nil for all.
    fileprivate mutating func endMoments(before time: Duration?) {
        func isOver(_ moment: MomentSheet.Moment) -> Bool { time.map { moment.last.time < $0 } ?? true }
        past += open.filter(isOver)
        open.removeAll(where: isOver)
    }

    /// Removes the doubts about an object that was found with much confidence.
    fileprivate mutating func forget(_ object: DetectedObject) {
        func isSame(_ moment: MomentSheet.Moment) -> Bool {
            if let id = object.id, moment.id == id { return true }
            return moment.id == nil && moment.last.frame.iou(object.frame) >= MomentSheet.sameShare
        }
        open.removeAll(where: isSame)
        guard let id = object.id, sure.insert(id).inserted else { return }
        past.removeAll { $0.id == id && $0.video == video }
    }

    /// Notes a sighting of a doubtful place.
    fileprivate mutating func note(
        _ object: DetectedObject,
        isHidden: Bool,
        in frame: inout MomentSheet.Frame
    ) throws {
        let time = frame.result.timestamp
        let same = open.indices.filter { index in
            let moment = open[index]
            guard moment.isHidden == isHidden else { return false }
            if let id = object.id, let other = moment.id { return id == other }
            return moment.last.frame.iou(object.frame) >= MomentSheet.sameShare
        }
        guard let index = same.max(by: { open[$0].confidence < open[$1].confidence }) else {
            guard open.count + past.count < MomentSheet.mostMoments else {
                omitted += 1
                return
            }
            guard let view = try frame.view(of: object.frame) else { return }
            open.append(
                MomentSheet.Moment(
                    video: video,
                    id: object.id,
                    isHidden: isHidden,
                    confidence: object.objectConfidence,
                    time: time,
                    last: (time, object.frame),
                    view: view
                )
            )
            return
        }
        open[index].id = open[index].id ?? object.id
        open[index].last = (time, object.frame)
        guard object.objectConfidence > open[index].confidence, let view = try frame.view(of: object.frame) else {
            return
        }
        (open[index].confidence, open[index].time, open[index].view) = (object.objectConfidence, time, view)
    }
}
