extension ModelGraph {
    /// The maximum contents of a file; a file that exceeds them is damaged or malicious.
    private enum Most {
        static let subgraphs = 1_000
        static let buffers = 500_000
        static let codes = 10_000
        static let tensors = 200_000
        static let operators = 200_000
        static let operands = 2_000_000
        /// Of a single operator, or of a subgraph.
        static let operandsOfOne = 4_000
        static let detectors = 100
        static let signatures = 1_000
        static let metadata = 10_000
        static let dimensions = 8
        /// Bytes of a name.
        static let name = 1 << 10
        /// Bytes of all names together.
        static let names = 4 << 20
    }

    /// Reads the file and checks that every index is in range and that every constant has the size of its shape.
    init(_ bytes: UnsafeRawBufferPointer) throws(ModelError) {
        let budget = FlatBufferBudget(maximumText: Most.name, maximumTexts: Most.names)
        let buffer = FlatBuffer(bytes: bytes, budget: budget)
        if let error = ModelError(foreign: bytes) { throw error }
        do {
            var reader = Reader(buffer: buffer, root: try buffer.root())
            self = try reader.read()
        } catch let error as FlatBufferError {
            throw .corrupted(reason: error.reason)
        } catch let error as ModelError {
            throw error
        } catch {
            throw .corrupted(reason: "\(error)")
        }
    }

    private struct Reader {
        let buffer: FlatBuffer
        let root: FlatBufferTable
        var tensorCount = 0
        var operatorCount = 0
        var operandCount = 0
        var detectorCount = 0
        /// Valid features that the runtime lacks.
        var limitations: [ModelLimitation] = []

        mutating func read() throws -> ModelGraph {
            let version: UInt32 = try root.integer(0, default: 0)
            guard version == 3 else { throw FlatBufferError(reason: "its schema version is \(version), not 3") }
            if try root.tables(8).count > 0 || root.tables(9).count > 0 { limitations.append(.externalWeights) }
            let buffers = try tables(4, atMost: Most.buffers, "buffers").map(constantData)
            let codes = try tables(1, atMost: Most.codes, "operator codes").map(operatorCode)
            let subgraphTables = try root.tables(2)
            guard (1...Most.subgraphs).contains(subgraphTables.count) else {
                throw FlatBufferError(reason: "it has \(subgraphTables.count) subgraphs")
            }
            var subgraphs: [Subgraph] = []
            for index in 0..<subgraphTables.count {
                subgraphs.append(
                    try subgraph(index, try subgraphTables.table(at: index), buffers: buffers, codes: codes)
                )
            }
            let signatures = try tables(7, atMost: Most.signatures, "signatures")
                .map { _, table throws(FlatBufferError) in try signature(table) }
            return ModelGraph(
                operatorCodes: codes,
                subgraphs: subgraphs,
                signatures: signatures,
                metadata: try metadata(buffers),
                limitations: limitations
            )
        }

        private func tables(
            _ field: Int,
            atMost maximum: Int,
            _ what: String
        ) throws(FlatBufferError) -> FlatBufferTables {
            let tables = try root.tables(field)
            guard tables.count <= maximum else {
                throw FlatBufferError(reason: "it has \(tables.count) \(what), more than \(maximum)")
            }
            return tables
        }

        private func constantData(_ index: Int, _ table: FlatBufferTable) throws(FlatBufferError) -> Range<Int>? {
            let offset: UInt64 = try table.integer(1, default: 0)
            let size: UInt64 = try table.integer(2, default: 0)
            if offset > 1 {
                let total = UInt64(buffer.bytes.count)
                guard offset <= total, size <= total - offset else {
                    throw FlatBufferError(reason: "buffer \(index) reaches past the end of the file")
                }
                return Int(offset)..<Int(offset + size)
            }
            guard let data = try table.byteVector(0), !data.isEmpty, let start = data.baseAddress,
                let base = buffer.bytes.baseAddress
            else { return nil }
            let position = start - base
            return position..<position + data.count
        }

        private func operatorCode(_ index: Int, _ table: FlatBufferTable) throws(FlatBufferError) -> OperatorCode {
            let short: Int8 = try table.integer(0, default: 0)
            let long: Int32 = try table.integer(3, default: 0)
            let code = max(Int(short), Int(long))
            if code == BuiltinOperator.custom {
                guard let name = try table.string(1), !name.isEmpty else {
                    throw FlatBufferError(reason: "operator code \(index) is custom but has no name")
                }
                return OperatorCode(name: name, isCustom: true)
            }
            return OperatorCode(name: BuiltinOperator.name(code) ?? "number \(code)", isCustom: false)
        }

        private mutating func subgraph(
            _ index: Int,
            _ table: FlatBufferTable,
            buffers: [Range<Int>?],
            codes: [OperatorCode]
        ) throws -> Subgraph {
            let tensorTables = try table.tables(0)
            let operatorTables = try table.tables(3)
            tensorCount += tensorTables.count
            operatorCount += operatorTables.count
            guard tensorCount <= Most.tensors, operatorCount <= Most.operators else {
                throw FlatBufferError(reason: "it has more than \(Most.tensors) tensors or operators")
            }
            let count = tensorTables.count
            let place = "of subgraph \(index)"
            let inputs = try operands(table, 1, in: 0..<count, "input \(place)")
            let outputs = try operands(table, 2, in: 0..<count, "output \(place)")
            let ends = Set(inputs + outputs)
            var tensors: [TensorNode] = []
            tensors.reserveCapacity(count)
            for position in 0..<count {
                let table = try tensorTables.table(at: position)
                // Inputs and outputs are found by their names. The names of other tensors appear only in messages, and
                // converters join many names into one.
                let name = ends.contains(position) ? try table.string(3) : try table.string(3, cutAt: Most.name)
                tensors.append(try tensor(position, table, name: name ?? "", buffers: buffers))
            }
            var operators: [OperatorNode] = []
            operators.reserveCapacity(operatorTables.count)
            for position in 0..<operatorTables.count {
                let table = try operatorTables.table(at: position)
                let code = Int(try table.integer(0, default: UInt32(0)))
                guard code < codes.count else {
                    throw FlatBufferError(reason: "operator \(position) \(place) has code \(code) of \(codes.count)")
                }
                let isDetector = codes[code].isCustom && codes[code].name == OperatorRule.detectionPostProcess
                if isDetector { detectorCount += 1 }
                guard detectorCount <= Most.detectors else {
                    throw FlatBufferError(reason: "it has more than \(Most.detectors) detectors")
                }
                let options = Int(try table.integer(3, default: UInt8(0)))
                let optionTable = try table.table(4)
                guard options == 0 || optionTable != nil else {
                    throw FlatBufferError(
                        reason: "operator \(position) \(place) declares options but has no table of options"
                    )
                }
                operators.append(
                    OperatorNode(
                        code: code,
                        inputs: try operands(table, 1, in: -1..<count, "input of operator \(position) \(place)"),
                        outputs: try operands(table, 2, in: 0..<count, "output of operator \(position) \(place)"),
                        options: options,
                        optionNumbers: try numbers(optionTable, codes[code].name),
                        customOptions: isDetector
                            ? try table.byteVector(5).flatMap { try? FlexBufferMap($0) }?.values ?? [:] : [:]
                    )
                )
                _ = try operands(table, 8, in: -1..<count, "intermediate of operator \(position) \(place)")
            }
            return Subgraph(tensors: tensors, inputs: inputs, outputs: outputs, operators: operators)
        }

        private func numbers(_ table: FlatBufferTable?, _ name: String) throws(FlatBufferError) -> [Int: Int] {
            guard let table, let rule = OperatorRule.rule(for: name) else { return [:] }
            var numbers: [Int: Int] = [:]
            for slot in rule.positive { numbers[slot] = Int(try table.integer(slot, default: Int32(0))) }
            for slot in rule.positiveIfPresent { numbers[slot] = Int(try table.integer(slot, default: Int32(1))) }
            for slot in rule.sizing { numbers[slot] = Int(try table.integer(slot, default: Int32(0))) }
            for slot in rule.flags { numbers[slot] = Int(try table.integer(slot, default: UInt8(0))) }
            if rule.countsInputs || rule.countsOutputs { numbers[0] = Int(try table.integer(0, default: Int32(0))) }
            return numbers
        }

        private mutating func operands(
            _ table: FlatBufferTable,
            _ field: Int,
            in range: Range<Int>,
            _ what: String
        ) throws -> [Int] {
            let indices = try table.integers(field, of: Int32.self)?.map(Int.init) ?? []
            operandCount += indices.count
            guard operandCount <= Most.operands, indices.count <= Most.operandsOfOne else {
                throw FlatBufferError(
                    reason: "its operators have more than \(Most.operands) inputs and outputs, or one has more than "
                        + "\(Most.operandsOfOne)"
                )
            }
            for index in indices where !range.contains(index) {
                throw FlatBufferError(reason: "an \(what) is tensor \(index) of \(range.upperBound)")
            }
            return indices
        }

        private mutating func tensor(
            _ index: Int,
            _ table: FlatBufferTable,
            name: String,
            buffers: [Range<Int>?]
        ) throws -> TensorNode {
            let code: Int8 = try table.integer(1, default: 0)
            guard let type = ElementType(rawValue: code) else {
                throw FlatBufferError(
                    reason: "tensor \(index) (\"\(name)\") has elements of an unknown type, number \(code)"
                )
            }
            let shape = try table.integers(0, of: Int32.self)?.map(Int.init) ?? []
            let signatureShape = try table.integers(7, of: Int32.self)?.map(Int.init) ?? []
            let rank = max(shape.count, signatureShape.count)
            if rank > Most.dimensions { limitations.append(.rank(tensor: name, rank: rank)) }
            guard shape.allSatisfy({ $0 >= 0 }), signatureShape.allSatisfy({ $0 >= -1 }),
                signatureShape.isEmpty || signatureShape.count == shape.count
            else { throw FlatBufferError(reason: "tensor \(index) (\"\(name)\") has no valid shape: \(shape)") }
            if type.bits == nil { limitations.append(.elementType(tensor: name, type: "\(type)")) }
            guard let byteCount = TensorNode.byteCount(shape, bits: type.bits ?? 0) else {
                throw FlatBufferError(reason: "the size of tensor \(index) (\"\(name)\") overflows: \(shape)")
            }
            let isSparse = try table.table(6) != nil
            if isSparse { limitations.append(.sparseTensor(name: name)) }
            if try table.integer(10, default: UInt32(0)) != 0 { limitations.append(.externalWeights) }
            let bufferIndex = Int(try table.integer(2, default: UInt32(0)))
            guard bufferIndex < max(buffers.count, 1) else {
                throw FlatBufferError(reason: "tensor \(index) has buffer \(bufferIndex) of \(buffers.count)")
            }
            var constant = buffers.isEmpty ? nil : buffers[bufferIndex]
            // A computed tensor of handles or texts has a buffer without bytes, too.
            if constant == nil, bufferIndex != 0, byteCount == 0, type.bits != nil { constant = 0..<0 }
            if let constant, constant.count != byteCount, type.bits != nil, !isSparse {
                throw FlatBufferError(
                    reason: "tensor \(index) (\"\(name)\") needs \(byteCount) bytes of data but has \(constant.count)"
                )
            }
            let isVariable: UInt8 = try table.integer(5, default: 0)
            let quantization = try quantization(try table.table(4), type: type, shape: shape, tensor: name)
            return TensorNode(
                name: name,
                type: type,
                shape: shape,
                signatureShape: signatureShape.isEmpty ? shape : signatureShape,
                byteCount: byteCount,
                constant: constant,
                isVariable: isVariable != 0,
                quantization: quantization.parameters,
                hasScale: quantization.hasScale,
                integers: try constant.map { try integers($0, type) } ?? []
            )
        }

        private func integers(_ range: Range<Int>, _ type: ElementType) throws(FlatBufferError) -> [Int64] {
            guard range.count <= 256 else { return [] }
            var values: [Int64] = []
            for position in stride(from: range.lowerBound, to: range.upperBound, by: type == .int64 ? 8 : 4) {
                switch type {
                case .int32: values.append(Int64(try buffer.load(Int32.self, at: position)))
                case .int64: values.append(try buffer.load(Int64.self, at: position))
                default: return []
                }
            }
            return values
        }

        private func quantization(
            _ table: FlatBufferTable?,
            type: ElementType,
            shape: [Int],
            tensor: String
        ) throws(FlatBufferError) -> (parameters: QuantizationParameters?, hasScale: Bool) {
            guard let table else { return (nil, false) }
            let scales = try table.floats(2) ?? []
            let zeroPoints = try table.integers(3, of: Int64.self) ?? []
            guard zeroPoints.count == scales.count else {
                throw FlatBufferError(
                    reason: "tensor \"\(tensor)\" has \(scales.count) scales but \(zeroPoints.count) zero points"
                )
            }
            let range: ClosedRange<Int64> =
                switch type {
                case .uInt8: 0...255
                case .int8: -128...127
                case .int16: -32_768...32_767
                default: Int64(Int32.min)...Int64(Int32.max)
                }
            guard zeroPoints.allSatisfy(range.contains), scales.allSatisfy({ $0.isFinite && $0 >= 0 }) else {
                throw FlatBufferError(reason: "tensor \"\(tensor)\" has a scale or zero point that \(type) cannot have")
            }
            if scales.count > 1 {
                let dimension = Int(try table.integer(6, default: Int32(0)))
                guard shape.indices.contains(dimension), shape[dimension] == scales.count else {
                    throw FlatBufferError(
                        reason: "tensor \"\(tensor)\" has \(scales.count) scales, which no dimension matches"
                    )
                }
                return (nil, true)
            }
            guard let scale = scales.first, scale != 0 else { return (nil, false) }
            return (QuantizationParameters(scale: scale, zeroPoint: zeroPoints.first.map { Int($0) } ?? 0), true)
        }

        private func signature(_ table: FlatBufferTable) throws(FlatBufferError) -> Signature {
            func entries(_ field: Int) throws(FlatBufferError) -> [Signature.Entry] {
                let tables = try table.tables(field)
                guard tables.count <= Most.operandsOfOne else {
                    throw FlatBufferError(reason: "a signature has \(tables.count) inputs or outputs")
                }
                return try tables.map { _, entry throws(FlatBufferError) in
                    Signature.Entry(
                        name: try entry.string(0) ?? "",
                        tensor: Int(try entry.integer(1, default: UInt32(0)))
                    )
                }
            }
            return Signature(
                key: try table.string(2) ?? "",
                subgraph: Int(try table.integer(4, default: UInt32(0))),
                inputs: try entries(0),
                outputs: try entries(1)
            )
        }

        private func metadata(_ buffers: [Range<Int>?]) throws -> [String: Range<Int>] {
            var found: [String: Range<Int>] = [:]
            let tables = try tables(6, atMost: Most.metadata, "entries of metadata")
            for index in 0..<tables.count {
                let table = try tables.table(at: index)
                let bufferIndex = Int(try table.integer(1, default: UInt32(0)))
                guard bufferIndex < buffers.count else {
                    throw FlatBufferError(reason: "metadata \(index) has buffer \(bufferIndex) of \(buffers.count)")
                }
                if let name = try table.string(0), let range = buffers[bufferIndex] { found[name] = range }
            }
            return found
        }
    }
}
