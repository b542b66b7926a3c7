import DurableFiles
import Foundation
import Sightline
import SightlineMedia

/// Draws the pictures of events, beside the detector. While a picture is drawn, others are left out: only the last event needs one.
actor EventPictures {
    private var drawing: Task<Void, Never>?

    /// The quality of the JPEG.
    private static let quality = 80

    /// Draws a frame as a JPEG and sends it, unless another frame is being drawn.
    func draw(
        _ analyzed: AnalyzedFrame,
        outlines: [AnnotatedScene.Outline],
        send: @escaping @Sendable ([UInt8]) async -> Void
    ) {
        guard drawing == nil else { return }
        drawing = Task {
            // A picture that cannot be drawn is left out; the event is sent all the same.
            if let picture = await Self.picture(analyzed, outlines) { await send(picture) }
            drawing = nil
        }
    }

    /// Waits for the picture that is being drawn.
    func finish() async { await drawing?.value }

    /// The frame with its objects and outlines as a JPEG; nil if it cannot be drawn.
    static func picture(_ analyzed: AnalyzedFrame, _ outlines: [AnnotatedScene.Outline]) async -> [UInt8]? {
        await withTaskExecutorPreference(FileExecutor.shared) {
            var renderer = PictureRenderer()
            let scene = AnnotatedScene(analyzed.result, outlines: outlines)
            let pixels = try? renderer.render(scene, on: analyzed.frame.image)
            return (try? pixels?.encoded(as: .jpeg, quality: quality)).map { [UInt8]($0) }
        }
    }
}
