import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia
import TextFormatting

/// Writes the pictures of a stream: annotated frames, a preview, and pictures of single objects. It works beside the detector, one frame
/// behind, or 0.7 seconds where objects are hidden. Its functions encode and wait for the disk, so that tasks call them on
/// `FileExecutor`.
actor TrackDrawing {
    private let writer: (any FrameWriter)?
    private let preview: PreviewServer?
    /// One picture of the whole video; nil if nobody asked for it.
    private var whole: WholePicture?
    private let cropFolder: CropFolder?
    /// Shows what is doubtful, and the name of the video on it; nil if nobody asked for it.
    private let sheet: MomentSheet?
    private let name: String
    private var renderer: PictureRenderer
    /// Finds what to hide around the frames in which an object is found; nil if nothing is hidden.
    private var planner: CoverPlanner?
    /// Whether the pictures hide objects.
    nonisolated let hides: Bool
    /// Frames that wait until the frames that the planner needs are known.
    private var waiting: [(analyzed: AnalyzedFrame, outlines: [AnnotatedScene.Outline])] = []
    /// The largest number of frames that wait, for their memory.
    private static let mostWaiting = 32
    private let began = ContinuousClock.now
    private var frames = 0

    /// Nil if the command line asks for no pictures.
    ///
    /// - Throws: `InputError` if the input would be overwritten; otherwise the errors of writers and of the preview.
    init?(_ arguments: TrackCommand, input: VideoInput, info: VideoInfo, name: String, sheet: MomentSheet? = nil) throws
    {
        let drawing = arguments.drawing
        guard arguments.wantsPictures else { return nil }
        cropFolder = arguments.cropping.folder
        (self.sheet, self.name) = (sheet, name)
        let annotators = drawing.annotators(adding: arguments.trace ? [.trace] : [])
        if drawing.namesPicture, let path = drawing.annotate {
            whole = WholePicture(
                try drawing.annotatorsOfWholeVideo(trace: arguments.trace),
                path: path,
                middle: info.duration.map { $0 / 2 }
            )
        }
        renderer = PictureRenderer(annotators)
        hides = annotators.contains { $0 is BlurAnnotator }
        planner = hides ? CoverPlanner() : nil
        var source: URL?
        if case .file(let url) = input { source = url }
        if let path = drawing.annotate, !drawing.namesPicture {
            if let source, InputSequence.isSame(path, source.path(percentEncoded: false)) {
                throw InputError(reason: "--annotate would overwrite the video itself; name another file.")
            }
            writer = try VideoOutput(path: path).writer(like: info, copyingAudioFrom: info.hasAudio ? source : nil)
        } else {
            writer = nil
        }
        let title = input.printedName(arguments.inputs.first ?? "")
        preview = try arguments.preview.map { try PreviewServer(port: $0, title: title) }
        if let preview { StandardError.write("sightline: watch at \(preview.address)\n") }
    }

    /// Writes the pictures of a frame.
    ///
    /// - Parameter covers: the parts that hide objects; nil to find them in the frames that follow, for which this frame then waits.
    func draw(_ analyzed: AnalyzedFrame, outlines: [AnnotatedScene.Outline], covers: CoverPlanner.HiddenParts?) throws {
        if let cropFolder, !analyzed.result.objects.isEmpty {
            let upright = try analyzed.frame.image.upright()
            let name = analyzed.result.path
            for object in analyzed.result.objects {
                guard let id = object.id else { continue }
                try cropFolder.write(object, of: upright, to: "\(id)/\(name.dropLast(4))")
            }
        }
        try whole?.add(analyzed, outlines)
        guard writer != nil || preview != nil else { return }
        if let covers { return try render(analyzed, outlines, covers) }
        waiting.append((analyzed, outlines))
        planner?.add(analyzed.result)
        let known = analyzed.result.timestamp - (planner == nil ? .zero : CoverPlanner.lookahead)
        while let first = waiting.first,
            waiting.count > Self.mostWaiting || first.analyzed.result.timestamp <= known
        {
            try renderWaiting(first)
            waiting.removeFirst()
        }
    }

    private func renderWaiting(_ first: (analyzed: AnalyzedFrame, outlines: [AnnotatedScene.Outline])) throws {
        try render(first.analyzed, first.outlines, planner?.hiddenParts(of: first.analyzed.result))
    }

    private func render(
        _ analyzed: AnalyzedFrame,
        _ outlines: [AnnotatedScene.Outline],
        _ hidden: CoverPlanner.HiddenParts?
    ) throws {
        let scene = AnnotatedScene(
            analyzed.result,
            covers: hidden?.covers ?? [],
            coverMasks: hidden?.masks ?? [],
            outlines: outlines
        )
        let drawn = try renderer.render(scene, on: analyzed.frame)
        try sheet?.add(
            analyzed.result,
            hidden ?? CoverPlanner.HiddenParts(),
            drawn: drawn.image,
            video: name
        )
        preview?.show(drawn.image, caption: caption(analyzed.result))
        try writer?.append(drawn)
    }

    /// For example `0:04.2 · frame 126 · 3 objects: 2 person, 1 car · 48.1 frames/s`.
    private func caption(_ result: StreamResult) -> String {
        let names = result.objects.compactMap(\.labels.first?.text).filter { !$0.isEmpty }
        let counts = Dictionary(grouping: names) { $0 }.mapValues(\.count)
        let kinds = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) \($0.key)" }
            .joined(separator: ", ")
        frames += 1
        let rate = Double(frames) / max((ContinuousClock.now - began) / .seconds(1), 1e-3)
        let objects = NumberText.count(result.objects.count, "object") + (kinds.isEmpty ? "" : ": \(kinds)")
        let speed = "\((rate * 10).rounded() / 10) frames/s"
        return [ClockText.text(result.timestamp), "frame \(result.index)", objects, speed].joined(separator: " · ")
    }

    /// Finishes the file and ends the preview.
    func finish() async throws {
        defer { waiting = [] }
        for first in waiting { try renderWaiting(first) }
        sheet?.endVideo()
        await preview?.stop()
        try writer?.finish()
        try whole?.write()
    }
}
