import Foundation

/// A compiled detection model with one owner, for each of its inputs.
struct DetectionRunner {
    var full: ModelRunner
    var overview: ModelRunner?
    /// The detector whose boxes the model names, if there is one. A list, since a value cannot hold a value of its own type.
    var proposers: [DetectionRunner] = []
}

extension ModelRunner {
    /// The boxes that a head reads for a part of a picture, in any order.
    mutating func candidates(
        _ head: any DetectorHead,
        _ placement: Placement,
        of picture: DecodedImage,
        minimumScore: Float,
        clock: inout StageClock
    ) throws -> [Candidate] {
        try clock.measure(\.preprocessing) { try write(placement, of: picture) }
        try clock.measure(\.inference) { try run() }
        return try clock.measure(\.postprocessing) {
            try head.candidates(of: interpreter, values: &outputs, minimumScore: minimumScore)
        }
    }

    /// The masks of boxes that were found in the last run, one for each; nil where the model gives none.
    mutating func masks(_ head: any DetectorHead, of candidates: [Candidate]) throws -> [MaskGrid?] {
        try head.masks(of: candidates, interpreter, values: &outputs)
    }

    /// A head, with the meaning of its outputs as the outputs for a gray picture show it.
    mutating func probed(_ head: any DetectorHead, _ input: ImageInput) throws -> any DetectorHead {
        let gray = try PixelBuffer(
            format: .rgb,
            width: 1,
            height: 1,
            planes: [PixelBuffer.Plane(data: Data(repeating: 128, count: 3), bytesPerRow: 3)]
        )
        let image = VisionImage(pixels: gray)
        let placement = Placement(PixelRect(image.size), into: input.format.size, fit: .stretch)
        try write(placement, of: try image.decoded(for: [placement]))
        try run()
        return try head.probed(interpreter, values: &outputs)
    }
}
