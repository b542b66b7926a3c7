import Foundation

extension ModelTrunk {
    /// The features' scale and type, if one layer of 8 bits reads all of them and the scores have 8 bits too; nil where the new layer
    /// computes with floats.
    var quantizedFeatures: (quantization: QuantizationParameters, isSigned: Bool)? {
        guard segments.count == 1, let segment = segments.first, let quantization = segment.quantization,
            scoreType == .uInt8 || scoreType == .int8
        else { return nil }
        return (quantization, segment.type == .int8)
    }

    /// A model whose outputs are the features, with the name `features` and, for several, a number.
    ///
    /// - Throws: `ModelTrunkError.layout` or `.invalid`.
    package func features() throws(ModelTrunkError) -> Model {
        try written { writer in
            writer.outputs = segments.enumerated().map { number, segment in
                let index = writer.index(of: segment.tensor)
                writer.rename(index, to: number == 0 ? "features" : "features \(number)")
                return index
            }
        }
    }

    /// A model with a new last layer and labels.
    ///
    /// The picture is called `image` and the probabilities `scores`, as in AutoML's models. A model that was uint8 or int8 stays so.
    ///
    /// - Throws: `ModelTrunkError.layout` or `.invalid`.
    package func classifier(
        _ layer: ClassifierLayer,
        _ metadata: ClassifierMetadata
    ) throws(ModelTrunkError) -> Model {
        precondition(
            layer.weights.count == featureCount * layer.bias.count,
            "There is a weight for each feature and label."
        )
        let packed = try written { writer in
            if let features = quantizedFeatures {
                writer.append(layer, quantized: features.quantization, isSigned: features.isSigned)
            } else {
                writer.append(layer, floatAfter: segments)
            }
            if let input = writer.inputs.first { writer.rename(input, to: "image") }
            writer.metadata = metadata.bytes
        }
        return try packed.packing([metadata.labelFile] + metadata.files)
    }

    func written(_ finish: (inout TrunkWriter) throws -> Void) throws(ModelTrunkError) -> Model {
        let data = model.data.withUnsafeBytes { bytes in
            Result {
                var writer = try TrunkWriter(self, in: FlatBuffer(bytes: bytes))
                try finish(&writer)
                return writer.data
            }
        }
        do {
            return try Model(data: data.get(), limits: model.limits)
        } catch let error as ModelTrunkError {
            throw error
        } catch let error as FlatBufferError {
            throw .layout(reason: error.reason)
        } catch {
            throw .invalid(reason: "\(error)")
        }
    }
}

extension Model {
    /// The model with files behind it that its metadata names.
    func packing(_ files: [(name: String, content: Data)]) throws(ModelTrunkError) -> Model {
        var packed = data
        packed.append(ZipArchive.ending(with: files, at: packed.count))
        do {
            return try Model(data: packed, limits: limits)
        } catch {
            throw .invalid(reason: "\(error)")
        }
    }
}
