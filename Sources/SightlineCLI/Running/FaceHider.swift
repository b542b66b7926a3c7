import CommandLineSupport
import Sightline
import SightlineMedia

/// Finds the faces in single pictures, so that they can be hidden. It works beside the camera's own detector.
final class FaceHider: Sendable {
    private let detector: ObjectDetector

    /// Compiles the detector of faces, which is installed first if it is not there.
    ///
    /// - Throws: an exit code after a message.
    convenience init() throws { try self.init(try CatalogModel.faceDetector()) }

    /// Compiles a detector of faces.
    ///
    /// - Throws: an exit code after a message.
    init(_ model: LocalModel) throws {
        detector = try loading { try ObjectDetector(options: .faces(model)) }
    }

    /// The frames of the faces in a picture.
    ///
    /// - Throws: the errors of `ObjectDetector.objects(in:)`; then nobody may see the picture.
    func faces(in image: VisionImage) async throws -> [PixelRect] {
        try await detector.objects(in: image).map(\.frame)
    }
}
