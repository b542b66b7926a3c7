import TensorFlowLite

/// The input of a model that takes one picture.
struct ImageInput: Sendable, Hashable {
    /// The position of the picture among the model's inputs.
    let index: Int
    /// The format of the tensor.
    let format: InputFormat
    /// The size for which the file states the shapes of the model's outputs. It is another than the format's only where the model
    /// leaves its size open.
    let statedSize: PixelSize
    /// The shape to give the tensor where the model leaves dimensions open; nil if it is fixed.
    var resizedShape: [Int]? { isOpen ? shape : nil }
    /// Whether the model leaves dimensions open.
    private let isOpen: Bool
    /// Whether the tensor's first extent is that of a batch. Detectors of torchvision take a picture without one.
    private let hasBatch: Bool
    /// Sentences about assumptions that were made since neither the model nor a sidecar gives a property.
    let assumptions: [String]

    /// The shape of the tensor for a picture of the format's size.
    var shape: [Int] {
        let (size, channels) = (format.size, format.channels.count)
        let picture =
            format.layout == .nhwc ? [size.height, size.width, channels] : [channels, size.height, size.width]
        return hasBatch ? [1] + picture : picture
    }

    /// The range of a float input's values, for a model that does not give it.
    enum FloatRange: Sendable {
        /// −1…1, as for MobileNet and SSD.
        case plusMinusOne
        /// −1…1 with a mean of 127 and a divisor of 128, as for the small face detectors in ONNX.
        case aroundGray
        /// 0…1, as for YOLOv5 and later.
        case zeroToOne
        /// 0…255, as for YOLOX.
        case pixelValues
        /// About −2…2: the means and deviations of ImageNet's colors, as for models from PyTorch.
        case imageNet
    }

    /// Reads the input's description.
    ///
    /// - Parameter floatRange: the assumed range of a float tensor without a normalization in the metadata or the sidecar.
    init(_ files: ModelFiles, floatRange: FloatRange, channels: InputFormat.Channels = .rgb) throws(LocalModelError) {
        let candidates = files.model.inputs.enumerated().filter {
            $0.element.shape.rank == 4 || Self.isPictureAlone($0.element, of: files.model)
        }
        guard let (index, tensor) = Self.picture(among: candidates.map { ($0.offset, $0.element) }) else {
            let shapes = files.model.inputs.map { "\($0.name) \($0.shape.dimensions)" }.joined(separator: ", ")
            throw .input(
                model: files.name,
                reason: OtherInput.summary(of: files)
                    ?? "no input has the shape [1, height, width, channels] with 1 or 3 channels (found \(shapes))"
            )
        }
        var assumptions: [String] = []
        let (size, statedSize, layout, channelCount, isOpen) = try Self.geometry(
            of: tensor,
            files: files,
            notes: &assumptions
        )
        let colors: InputFormat.Channels = channelCount == 1 ? .gray : files.sidecar.input?.channels ?? channels
        guard colors.count == channelCount else {
            throw .sidecar(
                path: files.sidecarPath,
                reason: "it asks for \(colors) but the input has \(channelCount) channels"
            )
        }
        let values = try Self.values(
            of: tensor,
            at: index,
            files: files,
            channels: colors,
            floatRange: floatRange,
            notes: &assumptions
        )
        self.index = index
        format = InputFormat(
            size: size,
            channels: colors,
            layout: layout,
            dataType: tensor.dataType,
            mean: values.mean,
            standardDeviation: values.deviation,
            quantization: values.quantization
        )
        self.statedSize = statedSize
        hasBatch = tensor.shape.rank == 4
        self.assumptions = assumptions
        self.isOpen = isOpen
    }

    /// Whether an input is a picture without a batch, channels first, of a model in ONNX. Its only input may be one.
    private static func isPictureAlone(_ tensor: TensorDescription, of model: any InferenceModel) -> Bool {
        !(model is Model) && model.inputs.count == 1 && tensor.shape.rank == 3 && tensor.shape.dimensions[0] == 3
    }

    /// The extents of a shape, with a batch of one where there is none.
    private static func extents(_ shape: Tensor.Shape) -> [Int] {
        shape.rank == 3 ? [1] + shape.dimensions : shape.dimensions
    }

    private init(_ other: ImageInput, index: Int) {
        self.index = index
        (format, statedSize, isOpen, assumptions) = (other.format, other.format.size, false, other.assumptions)
        hasBatch = other.hasBatch
    }

    /// The input of a model that was written with the shape of this input, and no other input.
    var alone: ImageInput { ImageInput(self, index: 0) }

    /// The picture is the input with 1 or 3 channels; among several the largest, since the rest is state.
    private static func picture(among tensors: [(Int, TensorDescription)]) -> (Int, TensorDescription)? {
        let pictures = tensors.filter { _, tensor in
            let shape = Self.extents(tensor.shape)
            return [1, -1].contains(shape[0]) && ([1, 3].contains(shape[3]) || [1, 3].contains(shape[1]))
        }
        return pictures.max { Self.pixels($0.1) < Self.pixels($1.1) }
    }

    private static func pixels(_ tensor: TensorDescription) -> Int {
        tensor.shape.dimensions.reduce(1) { product, extent in
            let (value, overflow) = product.multipliedReportingOverflow(by: max(extent, 1))
            return overflow ? .max : value
        }
    }

    private static func geometry(
        of tensor: TensorDescription,
        files: ModelFiles,
        notes: inout [String]
    ) throws(LocalModelError) -> (
        size: PixelSize, statedSize: PixelSize, layout: InputFormat.Layout, channels: Int, isOpen: Bool
    ) {
        let shape = Self.extents(tensor.shape)
        let isChannelsLast = tensor.shape.rank == 4 && [1, 3].contains(shape[3])
        let (height, width, channels) =
            isChannelsLast ? (shape[1], shape[2], shape[3]) : (shape[2], shape[3], shape[1])
        let isOpen = shape.contains { $0 <= 0 }
        let stated = Self.extents(tensor.defaultShape)
        var statedSize =
            isChannelsLast
            ? PixelSize(width: stated[2], height: stated[1]) : PixelSize(width: stated[3], height: stated[2])
        var size = PixelSize(width: width, height: height)
        if width <= 0 || height <= 0 {
            let said = files.sidecar.input
            let known = files.autoML?.size ?? files.ultralytics?.imageSize
            let usual = ModelFormat.usualOpenExtent(of: files.model)
            size = PixelSize(
                width: said?.width ?? known?.width ?? usual,
                height: said?.height ?? known?.height ?? usual
            )
            if said?.width == nil, known == nil {
                notes.append("The model leaves the size of its input open; \(usual) × \(usual) pixels are assumed.")
            }
            // The shapes of the outputs were found for this size.
            if case .found = files.openShapes { statedSize = size }
        }
        guard (1...8192).contains(size.width), (1...8192).contains(size.height) else {
            throw .input(model: files.name, reason: "an input of \(size.width) × \(size.height) pixels is out of range")
        }
        return (size, statedSize, isChannelsLast ? .nhwc : .nchw, channels, isOpen)
    }

    // MARK: - Values

    private typealias Values = (mean: [Float], deviation: [Float], quantization: QuantizationParameters?)

    private static func values(
        of tensor: TensorDescription,
        at index: Int,
        files: ModelFiles,
        channels: InputFormat.Channels,
        floatRange: FloatRange,
        notes: inout [String]
    ) throws(LocalModelError) -> Values {
        let said = try normalization(at: index, files: files, channelCount: channels.count)
        switch tensor.dataType {
        case .float32, .float16:
            if let said { return (said.mean, said.deviation, nil) }
            let (mean, deviation, text): ([Float], [Float], String) =
                switch floatRange {
                case .plusMinusOne: ([127.5], [127.5], "−1…1")
                case .aroundGray: ([127], [128], "a mean of 127 and a deviation of 128")
                case .zeroToOne: ([0], [255], "0…1")
                case .pixelValues: ([0], [1], "0…255")
                case .imageNet where channels == .rgb:
                    ([123.675, 116.28, 103.53], [58.395, 57.12, 57.375], "ImageNet's mean and deviation")
                case .imageNet where channels == .bgr:
                    ([103.53, 116.28, 123.675], [57.375, 57.12, 58.395], "ImageNet's mean and deviation")
                case .imageNet: ([0], [255], "0…1")
                }
            notes.append("The model does not say how pixel values are normalized; \(text) is assumed.")
            return (mean, deviation, nil)
        case .uInt8, .int8:
            // Stored as they are, int8 shifted by 128, unless the normalization is really different.
            let plain: Values = ([tensor.dataType == .int8 ? 128 : 0], [1], nil)
            guard let said, let quantization = tensor.quantizationParameters else { return plain }
            let scaled: Values = (said.mean, said.deviation, quantization)
            return isNearlyEqual(scaled, plain) ? plain : scaled
        default:
            throw .input(
                model: files.name,
                reason: "its input is of type \(tensor.dataType), not uint8, int8, float16 or float32"
            )
        }
    }

    private static func normalization(
        at index: Int,
        files: ModelFiles,
        channelCount: Int
    ) throws(LocalModelError) -> (mean: [Float], deviation: [Float])? {
        let inputs = files.model.metadata?.inputs ?? []
        let metadata = inputs.indices.contains(index) ? inputs[index].normalization : nil
        let said = files.sidecar.input
        guard let mean = said?.mean ?? metadata?.mean,
            let deviation = said?.standardDeviation ?? metadata?.standardDeviation
        else {
            // All of Ultralytics' models take 0…1.
            return files.ultralytics == nil ? nil : ([0], [255])
        }
        for values in [mean, deviation] where values.count != 1 && values.count != channelCount {
            throw .input(
                model: files.name,
                reason: "its normalization has \(values.count) values for \(channelCount) channels"
            )
        }
        guard (mean + deviation).allSatisfy(\.isFinite), !deviation.contains(0) else {
            throw .input(model: files.name, reason: "its normalization divides by zero or is not finite")
        }
        return (mean, deviation)
    }

    /// Whether two mappings give the same stored value, up to rounding, for every pixel value.
    private static func isNearlyEqual(_ one: Values, _ other: Values) -> Bool {
        func stored(_ values: Values, _ channel: Int, _ pixel: Float) -> Float {
            let mean = values.mean[min(channel, values.mean.count - 1)]
            let deviation = values.deviation[min(channel, values.deviation.count - 1)]
            let real = (pixel - mean) / deviation
            guard let quantization = values.quantization else { return real }
            return real / quantization.scale + Float(quantization.zeroPoint)
        }
        return (0..<3).allSatisfy { channel in
            [0, 255].allSatisfy { abs(stored(one, channel, $0) - stored(other, channel, $0)) <= 1.01 }
        }
    }
}
