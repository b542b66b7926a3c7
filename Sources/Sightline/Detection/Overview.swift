/// The second look of a detection model at a whole picture, in an input that is smaller than the first.
///
/// A network knows objects by the sizes that they had in training. An object that fills a picture is larger than these in a large input, which small
/// objects need. Boxes of both looks are suppressed together.
struct Overview: Sendable {
    let input: ImageInput
    var head: any DetectorHead

    /// The overview that the sidecar of a model asks for; nil where it asks for none.
    ///
    /// - Parameter full: the input for the first look.
    /// - Throws: `LocalModelError.sidecar` if the model's size is fixed, or if the overview is not smaller than the first input.
    init?(of files: ModelFiles, _ full: ImageInput) throws {
        guard let width = files.sidecar.input?.overview else { return nil }
        let size = full.format.size
        guard full.resizedShape != nil, (1..<size.width).contains(width) else {
            throw LocalModelError.sidecar(
                path: files.sidecarPath,
                reason: full.resizedShape == nil
                    ? "input.overview is for models that leave the size of their input open; \(files.name) has a fixed size"
                    : "input.overview is \(width), but must be less than the width of the input, \(size.width)"
            )
        }
        let height = max(1, (size.height * width + size.width / 2) / size.width)
        let files = files.seeing(PixelSize(width: width, height: height))
        head = try DetectorHeads.find(in: files)
        input = try ImageInput(files, floatRange: head.floatRange, channels: head.channels)
    }
}
