import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia

/// Draws results on frames, and shows and writes them; works beside the detector, one frame behind.
actor TrackDrawing {
    private let writer: (any FrameWriter)?
    private let preview: PreviewServer?
    private var annotator: TrackAnnotator

    /// Nil where nobody wants pictures.
    ///
    /// - Throws: `InputError` if the input would be overwritten, otherwise as writers and the preview do.
    init?(_ arguments: TrackCommand, input: VideoInput, info: VideoInfo) throws {
        guard arguments.annotate != nil || arguments.preview != nil else { return nil }
        var source: URL?
        if case .file(let url) = input { source = url }
        if let path = arguments.annotate {
            if let source, InputSequence.isSame(path, source.path(percentEncoded: false)) {
                throw InputError(reason: "--annotate would overwrite the video itself; name another file.")
            }
            writer = try VideoOutput(path: path).writer(like: info, copyingAudioFrom: info.hasAudio ? source : nil)
        } else {
            writer = nil
        }
        preview = try arguments.preview.map { try PreviewServer(port: $0) }
        annotator = TrackAnnotator(options: TrackAnnotator.Options(showsTraces: arguments.trace))
        if let preview { StandardError.write("sightline: watch at \(preview.address)\n") }
    }

    /// Draws, shows and writes a frame.
    func draw(_ analyzed: AnalyzedFrame, outlines: [TrackAnnotator.Outline]) throws {
        let drawn = try annotator.annotate(analyzed.frame, with: analyzed.result, outlines: outlines)
        preview?.show(drawn.image)
        try writer?.append(drawn)
    }

    /// Finishes the file and ends the preview.
    func finish() async throws {
        await preview?.stop()
        try writer?.finish()
    }
}
