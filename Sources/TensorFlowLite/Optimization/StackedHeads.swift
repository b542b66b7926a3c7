/// Rewrites the stacking of a detector's heads without transposes.
///
/// Converters from ONNX keep the order of PyTorch: they turn each head from rows, columns and channels to channels, rows
/// and columns, flatten rows and columns, stack the heads, and turn the result back. The same numbers come out when each
/// head is flattened as it is and stacked along the cells.
enum StackedHeads {
    /// Rewrites each such stack.
    ///
    /// - Returns: The number of rewritten stacks.
    static func apply(to draft: inout ModelDraft) throws -> Int {
        let links = DraftLinks(draft)
        var replacements: [Int: [ModelDraft.Operator]] = [:]
        for position in draft.operators.indices {
            guard let stack = try Stack(endingAt: position, of: draft, links) else { continue }
            replacements[position] = try stack.rewritten(in: &draft)
        }
        draft.replace(replacements)
        return replacements.count
    }

    private struct Stack {
        /// The heads, of shape [batch, rows, columns, channels].
        let heads: [Int]
        /// The stacked heads, of shape [batch, cells, channels].
        let output: Int

        /// Nil if the operator is not the transpose at the end of a stack.
        init?(endingAt position: Int, of draft: ModelDraft, _ links: DraftLinks) throws(FlatBufferError) {
            let ending = draft.operators[position]
            guard let input = try Self.input(of: ending, transposedBy: [0, 2, 1], in: draft),
                draft.tensors[input].shape.count == 3, draft.tensors[input].hasFixedShape,
                let output = ending.outputs.first
            else { return nil }
            var parts = [input]
            if let stacking = links.producer(of: input, named: "CONCATENATION", in: draft) {
                guard let options = try stacking.table?.table(4),
                    [2, -1].contains(try options.integer(0, default: Int32(0))),
                    try options.integer(1, default: Int8(0)) == 0, links.isUsedOnce(input)
                else { return nil }
                parts = stacking.inputs
            }
            var heads: [Int] = []
            for part in parts {
                guard let head = try Self.head(flattenedAs: part, of: draft, links) else { return nil }
                heads.append(head)
            }
            self.heads = heads
            self.output = output
        }

        /// The head whose transposed rows and columns a tensor holds one after the other.
        private static func head(
            flattenedAs part: Int,
            of draft: ModelDraft,
            _ links: DraftLinks
        ) throws(FlatBufferError) -> Int? {
            guard let flattening = links.producer(of: part, named: "RESHAPE", in: draft),
                let transposed = flattening.inputs.first,
                let turning = links.producer(of: transposed, named: "TRANSPOSE", in: draft),
                let head = try input(of: turning, transposedBy: [0, 3, 1, 2], in: draft)
            else { return nil }
            let (shape, flat) = (draft.tensors[head].shape, draft.tensors[part].shape)
            guard shape.count == 4, flat.count == 3, draft.tensors[head].hasFixedShape,
                draft.tensors[part].hasFixedShape, flat == [shape[0], shape[3], shape[1] * shape[2]]
            else { return nil }
            return head
        }

        /// The float input of a transpose in an order.
        private static func input(
            of operation: ModelDraft.Operator,
            transposedBy order: [Int],
            in draft: ModelDraft
        ) throws(FlatBufferError) -> Int? {
            guard draft.codes[operation.code].name == "TRANSPOSE", operation.inputs.count == 2,
                draft.tensors[operation.inputs[0]].type == .float32, try draft.int32s(operation.inputs[1]) == order
            else { return nil }
            return operation.inputs[0]
        }

        func rewritten(in draft: inout ModelDraft) throws -> [ModelDraft.Operator] {
            var (operators, flat): ([ModelDraft.Operator], [Int]) = ([], [])
            for head in heads {
                let shape = draft.tensors[head].shape
                let cells = [shape[0], shape[1] * shape[2], shape[3]]
                let result =
                    heads.count == 1
                    ? output : draft.addTensor(like: head, suffix: "_flat", .float32, nil, shape: cells)
                operators.append(try draft.reshaping(head, to: cells, as: result))
                flat.append(result)
            }
            if heads.count > 1 { operators.append(draft.concatenation(of: flat, along: 1, as: output)) }
            return operators
        }
    }
}
