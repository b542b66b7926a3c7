import TensorFlowLite

extension Tensor.DataType {
    /// The name in the Open Inference Protocol, version 2 (section "Tensor Data Types").
    var openInferenceName: String {
        switch self {
        case .bool: "BOOL"
        case .uInt8: "UINT8"
        case .int8: "INT8"
        case .int16: "INT16"
        case .int32: "INT32"
        case .int64: "INT64"
        case .float16: "FP16"
        case .float32: "FP32"
        case .float64: "FP64"
        }
    }
}

extension TensorDescription {
    /// The number of bytes of an input at the shape that the file stores; nil if the shape has no size.
    var byteCount: Int? {
        guard let count = defaultShape.elementCount else { return nil }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: dataType.byteCount)
        return overflow ? nil : bytes
    }
}
