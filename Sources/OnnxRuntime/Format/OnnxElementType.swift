import TensorFlowLite

/// The type of a tensor's elements, as numbered in ONNX files. Source: enum TensorProto.DataType of onnx.proto.
struct OnnxElementType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    let rawValue: Int

    private static let kinds: [(name: String, bits: Int?, dataType: Tensor.DataType?)] = [
        ("undefined", nil, nil), ("float32", 32, .float32), ("uint8", 8, .uInt8), ("int8", 8, .int8),
        ("uint16", 16, nil), ("int16", 16, .int16), ("int32", 32, .int32), ("int64", 64, .int64), ("string", nil, nil),
        ("bool", 8, .bool), ("float16", 16, .float16), ("float64", 64, .float64), ("uint32", 32, nil),
        ("uint64", 64, nil), ("complex64", 64, nil), ("complex128", 128, nil), ("bfloat16", 16, nil),
        ("float8e4m3fn", 8, nil), ("float8e4m3fnuz", 8, nil), ("float8e5m2", 8, nil), ("float8e5m2fnuz", 8, nil),
        ("uint4", 4, nil), ("int4", 4, nil), ("float4e2m1", 4, nil), ("float8e8m0", 8, nil), ("uint2", 2, nil),
        ("int2", 2, nil),
    ]

    static let float32 = OnnxElementType(rawValue: 1)
    static let int64 = OnnxElementType(rawValue: 7)
    static let string = OnnxElementType(rawValue: 8)

    private var kind: (name: String, bits: Int?, dataType: Tensor.DataType?)? {
        Self.kinds.indices.contains(rawValue) ? Self.kinds[rawValue] : nil
    }

    var description: String { kind?.name ?? "number \(rawValue)" }
    /// The number of bits in an element; nil if elements have no fixed size.
    var bits: Int? { kind?.bits }
    /// The public type; nil for a type that inputs and outputs cannot have.
    var dataType: Tensor.DataType? { kind?.dataType }

    init(rawValue: Int) { self.rawValue = rawValue }

    /// The type with a public type.
    init?(_ dataType: Tensor.DataType) {
        guard let index = Self.kinds.firstIndex(where: { $0.dataType == dataType }) else { return nil }
        rawValue = index
    }

    /// The number of bytes of some elements; nil if it has no bound.
    func byteCount(of elements: Int) -> Int? {
        guard let bits else { return nil }
        let (product, overflow) = elements.multipliedReportingOverflow(by: bits)
        return overflow ? nil : (product + 7) / 8
    }
}
