extension TrunkWriter {
    /// A new operator: its number and version, and its options.
    struct New {
        var code: Code
        var options: (type: Int, node: FlatBufferNode)?

        init(_ builtin: Int, version: Int, options: (type: Int, node: FlatBufferNode)? = nil) {
            code = Code(builtin: builtin, version: version)
            self.options = options
        }

        static func fullyConnected(_ version: Int) -> New { New(9, version: version, options: (8, .table([:]))) }
        static func dequantize(_ version: Int) -> New { New(6, version: version, options: (38, .table([:]))) }
        static var quantize: New { New(114, version: 1, options: (89, .table([:]))) }
        static var concatenation: New { concatenation(along: 1) }
        static func concatenation(along axis: UInt32, _ version: Int = 1) -> New {
            New(2, version: version, options: (10, .table([0: .uint32(axis)])))
        }
        static func reshape(_ shape: [Int]) -> New {
            New(22, version: 1, options: (17, .table([0: .offset(.int32s(shape.map { Int32(clamping: $0) }))])))
        }
        /// A convolution of single cells.
        static func convolution(_ version: Int) -> New {
            New(3, version: version, options: (1, .table([1: .uint32(1), 2: .uint32(1)])))
        }
        /// Rows of the first input, by their numbers.
        static func gather(_ version: Int) -> New { New(36, version: version, options: (23, .table([:]))) }
        static var largest: New { New(48, version: 1, options: (34, .table([:]))) }
        static var logistic: New { New(14, version: 1) }
        static var sum: New { New(0, version: 1, options: (11, .table([:]))) }
        static var product: New { New(18, version: 1, options: (21, .table([:]))) }
        static var power: New { New(78, version: 1, options: (56, .table([:]))) }
        static var logarithm: New { New(73, version: 1) }
        static var minimum: New { New(57, version: 1, options: (39, .table([:]))) }
        static var maximum: New { New(55, version: 1, options: (39, .table([:]))) }
        static func activation(_ activation: ClassifierLayer.Activation, _ version: Int) -> New {
            switch activation {
            // The factor of the sums.
            case .softmax: New(25, version: version, options: (9, .table([0: .float(1)])))
            case .logistic: New(14, version: version)
            }
        }
    }

    mutating func add(_ new: New, _ inputs: [Int], _ output: Int) {
        add(new.code, inputs: inputs, outputs: [output], options: new.options)
    }

    // MARK: - Constants

    func bytes(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }

    /// Adds a constant of floats.
    mutating func addFloats(_ name: String, _ values: [Float], _ shape: [Int]) -> Int {
        addTensor(name, .float32, shape, constant: values.flatMap { bytes($0.bitPattern) })
    }

    /// Adds a constant of 32-bit integers.
    mutating func addIntegers(_ name: String, _ values: [Int], _ shape: [Int]) -> Int {
        addTensor(name, .int32, shape, constant: values.flatMap { bytes(UInt32(bitPattern: Int32(clamping: $0))) })
    }
}
