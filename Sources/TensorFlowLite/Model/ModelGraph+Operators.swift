/// Checks each operator for the conditions that its kernel assumes.
extension ModelGraph {
    func checkOperators(of subgraph: Subgraph, _ index: Int, limits: ModelLimits) throws(ModelError) {
        for (position, node) in subgraph.operators.enumerated() {
            let code = operatorCodes[node.code]
            do {
                if code.isCustom {
                    if OperatorRule.knows(code) { try checkDetectionPostProcess(node, subgraph) }
                } else if let rule = OperatorRule.rule(for: code.name) {
                    try check(node, code.name, rule, subgraph)
                    try OutputSize(node, code.name, subgraph).check(limits)
                }
            } catch {
                throw .corrupted(
                    reason: "operator \(position) (\(code.name)) of subgraph \(index) is not valid: \(error.reason)"
                )
            }
        }
    }

    private func check(
        _ node: OperatorNode,
        _ name: String,
        _ rule: OperatorRule,
        _ subgraph: Subgraph
    ) throws(FlatBufferError) {
        guard rule.inputs.contains(node.inputs.count), rule.outputs.contains(node.outputs.count) else {
            throw FlatBufferError(reason: "it has \(node.inputs.count) inputs and \(node.outputs.count) outputs")
        }
        for (position, input) in node.inputs.enumerated() where input < 0 && position != rule.optional {
            throw FlatBufferError(reason: "input \(position) is left out")
        }
        guard node.options == rule.options || (node.options == 0 && !rule.needsOptions) else {
            throw FlatBufferError(reason: "its options are those of another operator")
        }
        for slot in rule.positive + rule.positiveIfPresent {
            guard let number = node.optionNumbers[slot], (1...greatestStride).contains(number) else {
                throw FlatBufferError(reason: "the number \(slot) of its options is not valid")
            }
        }
        let counted = rule.countsInputs ? node.inputs.count : rule.countsOutputs ? node.outputs.count : nil
        if let counted, node.optionNumbers[0] != counted {
            throw FlatBufferError(reason: "its options do not count its \(counted) inputs or outputs")
        }
        for position in rule.integers where node.inputs.indices.contains(position) {
            let type = subgraph.tensors[node.inputs[position]].type
            guard type == .int32 || type == .int64 else {
                throw FlatBufferError(reason: "input \(position) has elements of type \(type)")
            }
        }
        let alike: [Int] =
            switch rule.types {
            case .none: []
            case .firstInput: Array(node.inputs.prefix(1) + node.outputs.prefix(1))
            case .bothInputs: Array(node.inputs.prefix(rule.inputs.upperBound == Int.max ? Int.max : 2) + node.outputs)
            case .inputsAlone: node.inputs
            }
        for tensor in alike.map({ subgraph.tensors[$0] }) where tensor.type != subgraph.tensors[alike[0]].type {
            throw FlatBufferError(reason: "its operands have incompatible element types")
        }
        guard rule.needsScale else { return }
        for operand in node.inputs + node.outputs where operand >= 0 {
            let tensor = subgraph.tensors[operand]
            guard tensor.hasScale || (tensor.type != .int8 && tensor.type != .uInt8) else {
                throw FlatBufferError(reason: "\"\(tensor.name)\" has no scale")
            }
        }
        func scales(_ operands: [Int]) -> [Float] {
            operands.filter { $0 >= 0 }.compactMap { subgraph.tensors[$0].quantization?.scale }
        }
        // An input that is not quantized counts in steps of about 1.
        if !rule.multiplies, let output = scales(node.outputs).min() {
            let input = scales(node.inputs).max() ?? 1
            guard input / output <= Self.greatestScaleRatio else {
                throw FlatBufferError(reason: "it turns values of scale \(input) into values of scale \(output)")
            }
        }
    }

    /// Far above any stride, dilation or window, and far below the point where their products overflow.
    private var greatestStride: Int { 65_536 }

    /// Kernels turn the ratio of two scales into a multiplier and a shift, and abort if the shift is too large.
    private static let greatestScaleRatio: Float = 262_144

    /// The operator whose outputs are boxes, classes, scores and a count.
    ///
    /// Source of the options' names: the operator's kernel, detection_postprocess.cc.
    private func checkDetectionPostProcess(_ node: OperatorNode, _ subgraph: Subgraph) throws(FlatBufferError) {
        guard node.inputs.count == 3, node.inputs.allSatisfy({ $0 >= 0 }), node.outputs.count == 4 else {
            throw FlatBufferError(reason: "it has \(node.inputs.count) inputs and \(node.outputs.count) outputs")
        }
        let options = node.customOptions
        func whole(_ key: String, _ range: ClosedRange<Double>, default value: Double? = nil) throws(FlatBufferError) {
            guard let found = options[key] ?? value, range.contains(found), found.rounded() == found else {
                throw FlatBufferError(reason: "its option \(key) is \(options[key].map { "\($0)" } ?? "missing")")
            }
        }
        func real(_ key: String, positive: Bool) throws(FlatBufferError) {
            guard let found = options[key], found.isFinite, abs(found) < 1e6, !positive || found > 1e-6 else {
                throw FlatBufferError(reason: "its option \(key) is \(options[key].map { "\($0)" } ?? "missing")")
            }
        }
        try whole("max_detections", 1...10_000)
        try whole("max_classes_per_detection", 1...1_000)
        try whole("detections_per_class", 1...10_000, default: 100)
        try whole("num_classes", 1...100_000)
        try whole("use_regular_nms", 0...1, default: 0)
        for key in ["nms_score_threshold", "nms_iou_threshold"] { try real(key, positive: false) }
        for key in ["y_scale", "x_scale", "h_scale", "w_scale"] { try real(key, positive: true) }
        let (boxes, scores, anchors) = (
            subgraph.tensors[node.inputs[0]], subgraph.tensors[node.inputs[1]], subgraph.tensors[node.inputs[2]]
        )
        guard boxes.shape.count == 3, scores.shape.count == 3, anchors.shape.count == 2, anchors.shape[1] == 4,
            boxes.shape[0] == 1, scores.shape[0] == 1, boxes.shape[2] >= 4, boxes.shape[1] == anchors.shape[0],
            scores.shape[1] == anchors.shape[0], Double(scores.shape[2]) >= options["num_classes", default: 0],
            Double(scores.shape[2]) <= options["num_classes", default: 0] + 1
        else {
            throw FlatBufferError(
                reason: "its inputs have shapes \(boxes.shape), \(scores.shape) and \(anchors.shape), which do not fit"
            )
        }
        for tensor in [boxes, scores, anchors] {
            guard tensor.type == .float32 || (tensor.type == .uInt8 && tensor.hasScale) else {
                throw FlatBufferError(reason: "\"\(tensor.name)\" has elements of type \(tensor.type)")
            }
        }
    }
}
