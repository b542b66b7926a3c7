import TensorFlowLite

/// Recognizes models that take no pictures, so that an error can name what they take.
enum OtherInput {
    /// A second of sound has at least this many samples.
    private static let fewestSamples = 4000

    /// Names of inputs that are pictures of sound.
    private static let namesOfSound = ["spectrogram", "mfcc", "log_mel", "logmel", "fingerprint", "waveform"]

    /// A sentence part such as "it is an audio model, which takes sound"; nil for other models.
    static func summary(of files: ModelFiles) -> String? {
        let inputs = files.model.inputs
        if files.model.metadata?.inputs.contains(where: { $0.content == .audio }) == true {
            return "it is an audio model, which takes sound"
        }
        if inputs.count == 1, namesOfSound.contains(where: inputs[0].name.lowercased().contains) {
            return "it is an audio model, which takes sound"
        }
        guard !inputs.isEmpty, !inputs.contains(where: { $0.shape.dimensions.count >= 4 }) else { return nil }
        if inputs.allSatisfy({ [.int32, .int64].contains($0.dataType) && $0.shape.dimensions.count <= 2 }) {
            return "it is a text model, which takes numbers of words"
        }
        if inputs.count == 1, inputs[0].dataType == .float32, inputs[0].shape.dimensions.count <= 2,
            inputs[0].shape.dimensions.last ?? 0 >= fewestSamples
        {
            return "it is an audio model, which takes sound"
        }
        return nil
    }
}
