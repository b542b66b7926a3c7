/// Features of a sound model that the runtime lacks.
extension ModelGraph {
    /// The first such feature, or nil if the runtime can run the model.
    var firstLimitation: ModelLimitation? {
        operatorCodes.lazy.compactMap(limitation).first ?? limitations.first
            ?? subgraphs.lazy.compactMap(limitation).first
    }

    private func limitation(_ code: OperatorCode) -> ModelLimitation? {
        if BuiltinOperator.controlFlow.contains(code.name) { return .controlFlow(operatorName: code.name) }
        if BuiltinOperator.stateful.contains(code.name) { return .state(operatorName: code.name) }
        return nil
    }

    private func limitation(_ subgraph: Subgraph) -> ModelLimitation? {
        if let variable = subgraph.tensors.first(where: \.isVariable) { return .variableTensor(name: variable.name) }
        let ends = (subgraph.inputs + subgraph.outputs).lazy.map { subgraph.tensors[$0] }
        if let end = ends.first(where: { $0.type.dataType == nil }) {
            return .elementType(tensor: end.name, type: "\(end.type)")
        }
        if let output = openOutput(of: subgraph) { return .dataDependentSize(tensor: output.name) }
        let unknown = subgraph.operators.lazy.map { operatorCodes[$0.code] }.first { !OperatorRule.knows($0) }
        return unknown.map { .unknownOperator(name: $0.name) }
    }
}
