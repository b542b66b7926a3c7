import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia

/// Writes the pictures of a stream: annotated frames, a preview, and pictures of single objects. It works beside the detector, one frame
/// behind.
actor TrackDrawing {
    private let writer: (any FrameWriter)?
    private let preview: PreviewServer?
    private let cropFolder: CropFolder?
    private var renderer: PictureRenderer

    /// Nil if the command line asks for no pictures.
    ///
    /// - Throws: `InputError` if the input would be overwritten; otherwise the errors of writers and of the preview.
    init?(_ arguments: TrackCommand, input: VideoInput, info: VideoInfo) throws {
        let drawing = arguments.drawing
        guard arguments.wantsPictures else { return nil }
        cropFolder = arguments.cropping.crop.map(CropFolder.init)
        renderer = PictureRenderer(drawing.annotators(adding: arguments.trace ? [.trace] : []))
        var source: URL?
        if case .file(let url) = input { source = url }
        if let path = drawing.annotate {
            if let source, InputSequence.isSame(path, source.path(percentEncoded: false)) {
                throw InputError(reason: "--annotate would overwrite the video itself; name another file.")
            }
            writer = try VideoOutput(path: path).writer(like: info, copyingAudioFrom: info.hasAudio ? source : nil)
        } else {
            writer = nil
        }
        preview = try arguments.preview.map { try PreviewServer(port: $0) }
        if let preview { StandardError.write("sightline: watch at \(preview.address)\n") }
    }

    /// Writes the pictures of a frame.
    func draw(_ analyzed: AnalyzedFrame, outlines: [AnnotatedScene.Outline]) throws {
        if let cropFolder, !analyzed.result.objects.isEmpty {
            let upright = try analyzed.frame.image.upright()
            let name = (ResultRecord.frame(analyzed.result)).path
            for object in analyzed.result.objects {
                guard let id = object.id else { continue }
                try cropFolder.write(object, of: upright, to: "\(id)/\(name)")
            }
        }
        guard writer != nil || preview != nil else { return }
        let drawn = try renderer.render(AnnotatedScene(analyzed.result, outlines: outlines), on: analyzed.frame)
        preview?.show(drawn.image)
        try writer?.append(drawn)
    }

    /// Finishes the file and ends the preview.
    func finish() async throws {
        await preview?.stop()
        try writer?.finish()
    }
}
