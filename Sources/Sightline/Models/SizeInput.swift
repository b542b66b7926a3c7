import TensorFlowLite

/// An extra input that gives a model the size of the picture, so that it gives boxes in pixels of that size. It gets the size of the
/// model's own input, since boxes are brought into the picture afterwards.
///
/// Source of the names: the exporters of RT-DETR and D-FINE, of PaddleDetection, and of keras-yolo3.
enum SizeInput {
    /// Width and height.
    case widthAndHeight
    /// Height and width.
    case heightAndWidth
    /// The factors by which the picture was resized.
    case factors

    /// The meaning of an input; nil for an input of another kind.
    init?(_ tensor: TensorDescription) {
        guard tensor.defaultShape.dimensions.last == 2, tensor.shape.rank <= 2 else { return nil }
        switch tensor.name.lowercased() {
        case "orig_target_sizes", "orig_target_size", "target_sizes": self = .widthAndHeight
        case "im_shape", "image_shape", "orig_im_shape": self = .heightAndWidth
        case "scale_factor": self = .factors
        default: return nil
        }
    }

    /// Writes the numbers for an input.
    func write(_ size: PixelSize, at index: Int, of session: any InferenceSession) throws {
        let numbers =
            switch self {
            case .widthAndHeight: [size.width, size.height]
            case .heightAndWidth: [size.height, size.width]
            case .factors: [1, 1]
            }
        try session.withMutableInput(at: index) { bytes in
            // The input has two elements of 4 or 8 bytes; those of 4 bytes are real.
            for (place, number) in numbers.enumerated() {
                switch bytes.count {
                case 16: bytes.storeBytes(of: Int64(number), toByteOffset: 8 * place, as: Int64.self)
                case 8: bytes.storeBytes(of: Float(number), toByteOffset: 4 * place, as: Float.self)
                default: break
                }
            }
        }
    }
}
