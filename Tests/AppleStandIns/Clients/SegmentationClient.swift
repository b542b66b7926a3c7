// Code of ML Kit's page on selfies with Apple's types.
import CoreVideo
import MLKitSegmentationSelfie
import MLKitVision

func confidences(in image: VisionImage) throws -> [Float32] {
    let options = SelfieSegmenterOptions()
    options.segmenterMode = .singleImage
    options.shouldEnableRawSizeMask = true
    let segmenter = Segmenter.segmenter(options: options)
    let mask: SegmentationMask = try segmenter.results(in: image)

    let maskWidth = CVPixelBufferGetWidth(mask.buffer)
    let maskHeight = CVPixelBufferGetHeight(mask.buffer)
    CVPixelBufferLockBaseAddress(mask.buffer, CVPixelBufferLockFlags.readOnly)
    let maskBytesPerRow = CVPixelBufferGetBytesPerRow(mask.buffer)
    guard let base = CVPixelBufferGetBaseAddress(mask.buffer) else { return [] }
    var maskAddress = base.bindMemory(to: Float32.self, capacity: maskBytesPerRow * maskHeight)
    var found: [Float32] = []
    for _ in 0...(maskHeight - 1) {
        for col in 0...(maskWidth - 1) {
            let foregroundConfidence: Float32 = maskAddress[col]
            found.append(foregroundConfidence)
        }
        maskAddress += maskBytesPerRow / MemoryLayout<Float32>.size
    }
    return found
}
