import TensorFlowLite

/// The meaning of a box's numbers, which the file of a YOLO model does not give: a sidecar gives it, otherwise the outputs
/// for a gray picture show it.
extension YOLOHead {
    /// The unit that the sidecar gives, otherwise a guess that a probe has to confirm.
    static func unit(of version: YOLOLayout.Version, sidecar: ModelSidecar) -> (unit: BoxUnit, needsProbe: Bool) {
        switch (version, sidecar.decoded, sidecar.normalizedBoxes) {
        case (.yolox, let decoded?, _): (decoded ? .pixels : .gridOffsets, false)
        case (.yolox, nil, _): (.gridOffsets, true)
        case (_, _, let normalized?): (normalized ? .fractions : .pixels, false)
        case (_, _, nil): (.fractions, true)
        }
    }

    func probed(_ interpreter: any InferenceSession, values: inout OutputValues) throws -> YOLOHead {
        var probed = self
        probed.needsProbe = false
        let shown: BoxUnit? = try values.with(output, of: interpreter) { values in
            guard values.count == layout.boxCount * layout.columnCount else { return nil }
            try checkScores(values)
            return unit(shownBy: values)
        }
        guard let unit = shown else { return probed }
        probed.unit = unit
        probed.assumptions.append("Boxes seem to be \(unit.summary), judged by a gray picture.")
        return probed
    }

    /// Refuses outputs whose scores are not confidences: the numbers are others than the shape suggests.
    private func checkScores(_ values: UnsafeBufferPointer<Float>) throws(LocalModelError) {
        let first = layout.hasObjectness ? 4 : layout.firstClass
        for box in 0..<layout.boxCount {
            for column in first..<layout.firstClass + layout.classCount {
                let value = values[position(box: box, column: column)]
                // Quantized outputs may stick out by a step.
                guard value < -0.05 || value > 1.05 else { continue }
                throw .output(
                    model: model,
                    reason: """
                        for a gray picture, its boxes have the number \(value) where \(layout.classCount) class scores of 0 to 1 \
                        should be; if it finds objects, give the labels of its classes, or its head in a sidecar file
                        """
                )
            }
        }
        guard layout.version == .yolox, layout.assumption != nil else { return }
        if (0..<layout.boxCount).allSatisfy({ values[position(box: $0, column: 4)] == 1 }) {
            throw .output(
                model: model,
                reason:
                    "each of its boxes has the objectness 1, as in YOLOv6; write \"head\": \"yolov5\" in its sidecar file"
            )
        }
    }

    /// The unit that the outputs for a gray picture show.
    private func unit(shownBy values: UnsafeBufferPointer<Float>) -> BoxUnit {
        if layout.version == .yolox {
            // Decoded centers lie near their cells; raw ones near zero.
            let distances = grid.indices.map { box in
                abs(values[position(box: box, column: 0)] / grid[box].stride - grid[box].x)
            }
            return distances.sorted()[distances.count / 2] < 2 ? .pixels : .gridOffsets
        }
        let largest = (0..<layout.boxCount).map { box in
            max(values[position(box: box, column: 0)], values[position(box: box, column: 1)])
        }
        return largest.max() ?? 0 > 2 ? .pixels : .fractions
    }
}

extension YOLOHead.BoxUnit {
    fileprivate var summary: String {
        switch self {
        case .fractions: "fractions of the input"
        case .pixels: "in pixels of the input"
        case .gridOffsets: "raw grid offsets"
        }
    }
}
