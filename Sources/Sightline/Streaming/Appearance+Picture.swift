extension Appearance {
    /// Describes how the detections in a frame look.
    ///
    /// Each box is sampled at 16 × 32 points of the pixels that the detector saw, whatever its size.
    ///
    /// - Parameters:
    ///   - detections: the detections, in any order.
    ///   - minimumConfidence: weaker detections are left out; their boxes often show something else.
    ///   - picture: the frame as it was decoded for the detector.
    /// - Returns: a description for each detection, in their order; nil for a box that was left out, or of which no pixels
    ///   were decoded.
    static func of(
        _ detections: [DetectedObject],
        minimumConfidence: Float,
        in picture: DecodedImage
    ) throws(ImageError) -> [Appearance?] {
        let sampled = PixelSize(width: 2 * size.width, height: 2 * size.height)
        let format = InputFormat(size: sampled)
        let elements = try ElementTable(format)
        var bytes = [UInt8](repeating: 0, count: sampled.width * sampled.height * 3)
        var appearances: [Appearance?] = []
        appearances.reserveCapacity(detections.count)
        for detection in detections {
            guard detection.objectConfidence >= minimumConfidence,
                let visible = detection.frame.intersection(PixelRect(picture.size))
            else {
                appearances.append(nil)
                continue
            }
            let placement = Placement(visible, into: sampled, fit: .stretch)
            guard placement.isFinite, picture.covers(visible) else {
                appearances.append(nil)
                continue
            }
            let outcome: Result<Void, ImageError> = bytes.withUnsafeMutableBytes { memory in
                do throws(ImageError) {
                    return .success(try picture.write(placement, as: format, elements: elements, into: memory))
                } catch {
                    return .failure(error)
                }
            }
            try outcome.get()
            appearances.append(Appearance(pixels: halved(bytes)))
        }
        return appearances
    }

    /// The means of two by two pixels.
    private static func halved(_ bytes: [UInt8]) -> [Float] {
        let rowBytes = size.width * 2 * 3
        var means: [Float] = []
        means.reserveCapacity(size.width * size.height * 3)
        for row in 0..<size.height {
            for column in 0..<size.width {
                for channel in 0..<3 {
                    let first = 2 * row * rowBytes + 2 * column * 3 + channel
                    let upper = UInt16(bytes[first]) + UInt16(bytes[first + 3])
                    let lower = UInt16(bytes[first + rowBytes]) + UInt16(bytes[first + rowBytes + 3])
                    means.append(Float(upper + lower) / 4)
                }
            }
        }
        return means
    }
}
