import TensorFlowLite

/// The format of an image tensor: its size, its layout, and the conversion of pixel values to elements.
///
/// A pixel value p in 0…255 becomes the real value (p − mean) / standardDeviation, and that becomes an element: the value
/// itself in a float tensor, `round(real / scale) + zeroPoint` in a quantized one.
public struct InputFormat: Sendable, Hashable {
    /// The order of the color values of a pixel.
    public enum Channels: String, Sendable, Hashable, Codable, CaseIterable {
        /// Red, green, blue.
        case rgb
        /// Blue, green, red.
        case bgr
        /// One value: ITU-R BT.601 luma.
        case gray

        /// The number of values per pixel.
        public var count: Int { self == .gray ? 1 : 3 }
    }

    /// The order of a tensor's dimensions.
    public enum Layout: String, Sendable, Hashable, Codable {
        /// `[1, height, width, channels]`
        case nhwc
        /// `[1, channels, height, width]`
        case nchw
    }

    /// Width and height of the tensor in pixels.
    public var size: PixelSize
    /// The colors and their order.
    public var channels: Channels
    /// The order of dimensions.
    public var layout: Layout
    /// The type of an element: uint8, int8, float16 or float32.
    public var dataType: Tensor.DataType
    /// The number that is subtracted from a pixel value, per channel. A single number applies to all channels.
    public var mean: [Float]
    /// The number by which the difference is divided, per channel. A single number applies to all channels.
    public var standardDeviation: [Float]
    /// The conversion of real values to elements; nil in a float tensor. A quantized tensor without it stores pixel values as they are.
    public var quantization: QuantizationParameters?

    /// Creates a format.
    public init(
        size: PixelSize,
        channels: Channels = .rgb,
        layout: Layout = .nhwc,
        dataType: Tensor.DataType = .uInt8,
        mean: [Float] = [0],
        standardDeviation: [Float] = [1],
        quantization: QuantizationParameters? = nil
    ) {
        self.size = size
        self.channels = channels
        self.layout = layout
        self.dataType = dataType
        self.mean = mean
        self.standardDeviation = standardDeviation
        self.quantization = quantization
    }

    /// The number of bytes of the whole tensor; nil if it overflows.
    var byteCount: Int? {
        var count = channels.count * dataType.byteCount
        for extent in [size.width, size.height] {
            let (product, overflow) = count.multipliedReportingOverflow(by: extent)
            guard !overflow else { return nil }
            count = product
        }
        return count
    }
}
