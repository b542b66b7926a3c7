import Foundation
import Sightline
import SightlineMedia

/// One picture of a whole video, on its frame in the middle.
struct WholePicture {
    private let path: String
    /// The time of the frame to draw on; nil for the first frame.
    private let middle: Duration?
    private var renderer: PictureRenderer
    private var ground: VideoFrame?
    private var last = AnnotatedScene()

    /// - Parameters:
    ///   - annotators: annotators that remember the frames.
    ///   - path: the file for the picture.
    ///   - middle: the time of the frame to draw on; nil for the first frame, where the length of the video is unknown.
    init(_ annotators: [any Annotator], path: String, middle: Duration?) {
        self.path = path
        self.middle = middle
        renderer = PictureRenderer(annotators)
    }

    /// Adds a frame.
    mutating func add(_ analyzed: AnalyzedFrame, _ outlines: [AnnotatedScene.Outline]) throws {
        if ground == nil || middle.map({ analyzed.result.timestamp <= $0 }) ?? false { ground = analyzed.frame }
        last = AnnotatedScene(analyzed.result, outlines: outlines)
        try renderer.observe(last, on: analyzed.result.size)
    }

    /// Writes the picture; without frames, there is none.
    mutating func write() throws {
        guard let ground else { return }
        let data = try renderer.render(last, on: ground.image).encoded(as: ImageFormat(writingTo: path))
        try PictureFile.write(data, to: path, createsFolder: false)
    }
}
