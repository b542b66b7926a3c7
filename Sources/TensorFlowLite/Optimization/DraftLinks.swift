/// The connections between the operators of a draft.
struct DraftLinks {
    private var producers: [Int: Int] = [:]
    private var uses: [Int]
    private let ends: Set<Int>

    init(_ draft: ModelDraft) {
        uses = [Int](repeating: 0, count: draft.tensors.count)
        ends = draft.ends
        for (position, operation) in draft.operators.enumerated() {
            for output in operation.outputs { producers[output] = position }
            for input in operation.inputs where input >= 0 { uses[input] += 1 }
        }
    }

    /// The position of the operator that computes a tensor.
    func producer(of tensor: Int) -> Int? { producers[tensor] }

    /// The operator that computes a tensor, if the schema names its kind so.
    func producer(of tensor: Int, named name: String, in draft: ModelDraft) -> ModelDraft.Operator? {
        guard let position = producers[tensor], draft.codes[draft.operators[position].code].name == name else {
            return nil
        }
        return draft.operators[position]
    }

    /// Whether a single operator reads a tensor, and the model neither takes nor returns it.
    func isUsedOnce(_ tensor: Int) -> Bool { uses[tensor] == 1 && !ends.contains(tensor) }
}

extension ModelDraft {
    /// Replaces operators by others that compute the same tensors, and removes the operators whose results nothing reads
    /// any more.
    ///
    /// - Parameter replacements: The new operators, by the position of the operator whose place they take.
    mutating func replace(_ replacements: [Int: [Operator]]) {
        guard !replacements.isEmpty else { return }
        var unread = replacements.keys.flatMap { operators[$0].inputs }
        operators = operators.enumerated().flatMap { replacements[$0.offset] ?? [$0.element] }
        var uses = [Int](repeating: 0, count: tensors.count)
        var producers: [Int: Int] = [:]
        for (position, operation) in operators.enumerated() {
            for output in operation.outputs { producers[output] = position }
            for input in operation.inputs where input >= 0 { uses[input] += 1 }
        }
        for output in outputs { uses[output] += 1 }
        var removed: Set<Int> = []
        while let tensor = unread.popLast() {
            guard let position = producers[tensor], !removed.contains(position),
                operators[position].outputs.allSatisfy({ uses[$0] == 0 })
            else { continue }
            removed.insert(position)
            for input in operators[position].inputs where input >= 0 {
                uses[input] -= 1
                unread.append(input)
            }
        }
        operators = operators.enumerated().filter { !removed.contains($0.offset) }.map(\.element)
    }
}
