import Foundation

/// Gives reshapes whose target the model computes from the size of its batch, as Keras writes them, a constant target.
///
/// The runtime learns a computed target only while it runs. It reports the shapes of the file for everything behind such a reshape, which
/// are placeholders where the file leaves sizes open, and then writes outputs past memory of that size. With a constant target it knows all
/// sizes before. The batch is the one of the file, which is 1.
enum FixedReshapes {
    /// The bytes of a model for the runtime; nil if the file's own can be used.
    ///
    /// - Throws: `ModelError.unsupported(.dataDependentSize)` if an output may be larger than the runtime says.
    static func bytes(for model: Model) throws -> ModelBytes? {
        guard let main = model.graph.subgraphs.first, hasPlaceholder(main, of: model.graph) else { return nil }
        let output = main.outputs.first.map { main.tensors[$0].name } ?? ""
        do {
            return try model.data.withUnsafeBytes { bytes in
                var draft = try ModelDraft(model.graph, in: FlatBuffer(bytes: bytes))
                guard let count = try apply(to: &draft) else {
                    throw ModelError.unsupported(.dataDependentSize(tensor: output))
                }
                guard count > 0 else { return nil }
                return try ModelBytes(copying: Data(try draft.head()) + model.data)
            }
        } catch is ModelOptimizerError {
            throw ModelError.unsupported(.dataDependentSize(tensor: output))
        } catch let error as FlatBufferError {
            throw ModelError.corrupted(reason: error.reason)
        }
    }

    /// Whether a reshape has another number of elements before and after by the shapes of the file.
    private static func hasPlaceholder(_ subgraph: ModelGraph.Subgraph, of graph: ModelGraph) -> Bool {
        subgraph.operators.contains { node in
            guard graph.operatorCodes[node.code].name == "RESHAPE", node.inputs.count == 2,
                let output = node.outputs.first,
                let input = node.inputs.first, input >= 0
            else { return false }
            return elements(subgraph.tensors[input].shape) != elements(subgraph.tensors[output].shape)
        }
    }

    private static func elements(_ shape: [Int]) -> Int? { Tensor.Shape(shape).elementCount }

    /// Rewrites the reshapes.
    ///
    /// - Returns: the number of rewritten reshapes; nil if a placeholder is left.
    private static func apply(to draft: inout ModelDraft) throws -> Int? {
        let links = DraftLinks(draft)
        var replacements: [Int: [ModelDraft.Operator]] = [:]
        for position in draft.operators.indices {
            let reshape = draft.operators[position]
            guard draft.codes[reshape.code].name == "RESHAPE", reshape.inputs.count == 2,
                let output = reshape.outputs.first,
                draft.tensors[reshape.inputs[1]].constant == nil,
                elements(draft.tensors[reshape.inputs[0]].shape) != elements(draft.tensors[output].shape)
            else { continue }
            guard let target = try target(reshape.inputs[1], of: draft, links) else { return nil }
            replacements[position] = [try draft.reshaping(reshape.inputs[0], to: target, as: output)]
        }
        draft.replace(replacements)
        return replacements.count
    }

    /// The target that is packed from constants and from the size of a batch; nil if it is computed in another way.
    private static func target(
        _ tensor: Int,
        of draft: ModelDraft,
        _ links: DraftLinks
    ) throws(FlatBufferError) -> [Int]? {
        guard let pack = links.producer(of: tensor, named: "PACK", in: draft) else { return nil }
        var target: [Int] = []
        for part in pack.inputs {
            if let values = try draft.int32s(part), values.count == 1 {
                target += values
            } else if try isBatch(part, of: draft, links) {
                target.append(1)
            } else {
                return nil
            }
        }
        return target.count { $0 < 0 } <= 1 ? target : nil
    }

    /// Whether a number is the first extent of a tensor with a batch of one.
    private static func isBatch(_ tensor: Int, of draft: ModelDraft, _ links: DraftLinks) throws(FlatBufferError)
        -> Bool
    {
        guard let slice = links.producer(of: tensor, named: "STRIDED_SLICE", in: draft), slice.inputs.count == 4,
            try draft.int32s(slice.inputs[1]) == [0], try draft.int32s(slice.inputs[2]) == [1],
            let shape = links.producer(of: slice.inputs[0], named: "SHAPE", in: draft), let source = shape.inputs.first
        else { return false }
        return draft.tensors[source].shape.first == 1
    }
}
