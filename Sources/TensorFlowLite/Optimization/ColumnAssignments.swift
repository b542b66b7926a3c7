/// Rewrites assignments to columns, as converters from ONNX express them, as a concatenation.
///
/// A decoder in PyTorch replaces some columns of a table of boxes, `boxes[..., 2:4] = sizes`. Converters write that as
/// `boxes · (1 − scattered ones) + scattered sizes`: five passes over the whole table, two of them by slow loops. The
/// columns before, the new ones and the columns behind them, one after the other, are the same table.
enum ColumnAssignments {
    /// Rewrites each such assignment.
    ///
    /// - Returns: The number of rewritten assignments.
    static func apply(to draft: inout ModelDraft) throws -> Int {
        let links = DraftLinks(draft)
        var replacements: [Int: [ModelDraft.Operator]] = [:]
        for position in draft.operators.indices {
            guard let assignment = try Assignment(endingAt: position, of: draft, links) else { continue }
            replacements[position] = try assignment.rewritten(in: &draft)
        }
        draft.replace(replacements)
        return replacements.count
    }

    private struct Assignment {
        /// The table of which some columns are replaced.
        let table: Int
        /// The new columns.
        let values: Int
        let columns: Range<Int>
        let output: Int

        /// Nil if the operator is not the sum at the end of an assignment.
        init?(endingAt position: Int, of draft: ModelDraft, _ links: DraftLinks) throws(FlatBufferError) {
            let sum = draft.operators[position]
            guard draft.codes[sum.code].name == "ADD", try sum.hasNoActivation, sum.inputs.count == 2,
                let output = sum.outputs.first
            else { return nil }
            for (scattered, kept) in [(sum.inputs[0], sum.inputs[1]), (sum.inputs[1], sum.inputs[0])] {
                guard let scatter = links.producer(of: scattered, named: "SCATTER_ND", in: draft),
                    scatter.inputs.count == 3,
                    let table = try Self.table(keptIn: kept, exceptAt: scatter.inputs[0], of: draft, links)
                else { continue }
                let (shape, values) = (draft.tensors[table].shape, draft.tensors[scatter.inputs[1]])
                guard draft.tensors[table].type == .float32, values.type == .float32,
                    draft.tensors[table].hasFixedShape,
                    shape.count > 1, shape == draft.tensors[output].shape, shape == draft.tensors[scattered].shape,
                    let columns = try draft.columns(listedBy: scatter.inputs[0], of: shape),
                    values.shape == Array(shape.dropLast()) + [columns.count]
                else { continue }
                self.table = table
                self.values = scatter.inputs[1]
                self.columns = columns
                self.output = output
                return
            }
            return nil
        }

        /// The table in the product of a table and one minus scattered ones.
        private static func table(
            keptIn product: Int,
            exceptAt indices: Int,
            of draft: ModelDraft,
            _ links: DraftLinks
        ) throws(FlatBufferError) -> Int? {
            guard let multiplication = links.producer(of: product, named: "MUL", in: draft),
                try multiplication.hasNoActivation, multiplication.inputs.count == 2
            else { return nil }
            for (mask, table) in [(0, 1), (1, 0)].map({ (multiplication.inputs[$0], multiplication.inputs[$1]) }) {
                guard let difference = links.producer(of: mask, named: "SUB", in: draft),
                    try difference.hasNoActivation, difference.inputs.count == 2,
                    try draft.isOne(difference.inputs[0], links),
                    let scatter = links.producer(of: difference.inputs[1], named: "SCATTER_ND", in: draft),
                    scatter.inputs.count == 3, scatter.inputs[0] == indices,
                    try draft.isOne(scatter.inputs[1], links),
                    draft.tensors[mask].shape == draft.tensors[table].shape,
                    draft.tensors[difference.inputs[1]].shape == draft.tensors[table].shape
                else { continue }
                return table
            }
            return nil
        }

        func rewritten(in draft: inout ModelDraft) throws -> [ModelDraft.Operator] {
            let shape = draft.tensors[table].shape
            let width = shape[shape.count - 1]
            var (operators, parts): ([ModelDraft.Operator], [Int]) = ([], [])
            for kept in [0..<columns.lowerBound, columns.upperBound..<width] {
                if !kept.isEmpty {
                    let part = draft.addTensor(
                        like: table,
                        suffix: "_\(kept.lowerBound)",
                        .float32,
                        nil,
                        shape: Array(shape.dropLast()) + [kept.count]
                    )
                    operators.append(try draft.slice(of: table, columns: kept, as: part))
                    parts.append(part)
                }
                if kept.lowerBound == 0 { parts.append(values) }
            }
            return operators + [draft.concatenation(of: parts, along: shape.count - 1, as: output)]
        }
    }
}

extension ModelDraft.Operator {
    /// Whether a sum, difference or product is passed on as it is.
    fileprivate var hasNoActivation: Bool {
        get throws(FlatBufferError) { try table?.table(4)?.integer(0, default: Int8(0)) ?? 0 == 0 }
    }
}

extension ModelDraft {
    /// Whether a tensor holds nothing but ones.
    fileprivate func isOne(_ index: Int, _ links: DraftLinks) throws(FlatBufferError) -> Bool {
        if let spread = links.producer(of: index, named: "BROADCAST_TO", in: self) {
            return try spread.inputs.first.map { first throws(FlatBufferError) in try isConstantOne(first) } ?? false
        }
        return try isConstantOne(index)
    }

    private func isConstantOne(_ index: Int) throws(FlatBufferError) -> Bool {
        guard tensors.indices.contains(index), tensors[index].type == .float32, let constant = tensors[index].constant,
            !constant.isEmpty
        else { return false }
        for position in stride(from: constant.lowerBound, to: constant.upperBound, by: 4)
        where try file.load(UInt32.self, at: position) != Float(1).bitPattern { return false }
        return true
    }

    /// The columns of a table that indices list row by row, as SCATTER_ND takes them; nil if they list anything else.
    fileprivate func columns(listedBy index: Int, of shape: [Int]) throws(FlatBufferError) -> Range<Int>? {
        let indices = tensors[index]
        guard indices.type == .int32, let constant = indices.constant, indices.shape.count == shape.count + 1,
            Array(indices.shape.prefix(shape.count - 1)) == Array(shape.dropLast()), indices.shape.last == shape.count,
            let width = shape.last, constant.count == 4 * indices.shape.reduce(1, *)
        else { return nil }
        let count = indices.shape[shape.count - 1]
        guard (1...width).contains(count), constant.count >= 4 * shape.count else { return nil }
        var position = constant.lowerBound
        let first = Int(try file.load(Int32.self, at: position + 4 * (shape.count - 1)))
        guard first >= 0, first + count <= width else { return nil }
        for row in 0..<shape.dropLast().reduce(1, *) {
            var place = [Int](repeating: 0, count: shape.count)
            var rest = row
            for dimension in (0..<shape.count - 1).reversed() {
                place[dimension] = rest % shape[dimension]
                rest /= shape[dimension]
            }
            for column in first..<first + count {
                place[shape.count - 1] = column
                for number in place {
                    guard Int(try file.load(Int32.self, at: position)) == number else { return nil }
                    position += 4
                }
            }
        }
        return first..<first + count
    }
}
