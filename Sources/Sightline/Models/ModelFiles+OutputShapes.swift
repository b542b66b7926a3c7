import TensorFlowLite

extension ModelFiles {
    /// The shapes of the outputs for one picture; −1 where an extent depends on a size that the model leaves open.
    ///
    /// Keras leaves the batch open in every file, at the inputs and at the outputs, unless its user fixes the batch.
    var outputShapes: [[Int]] {
        if case .found(let shapes) = openShapes { return shapes }
        let keepsDefaults = model.inputs.allSatisfy { input in
            input.shape.dimensions.dropFirst().allSatisfy { $0 >= 0 } && input.defaultShape.dimensions.first ?? 1 == 1
        }
        return model.outputs.map { output in
            let usual = output.defaultShape.dimensions
            if keepsDefaults, usual.allSatisfy({ $0 > 0 }) { return usual }
            var shape = output.shape.dimensions
            if shape.first == -1 { shape[0] = 1 }
            return shape
        }
    }
}
