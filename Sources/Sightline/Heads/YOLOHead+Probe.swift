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

    func probed(_ interpreter: Interpreter, values: inout OutputValues) throws -> YOLOHead {
        var probed = self
        probed.needsProbe = false
        let shown: BoxUnit? = try values.with(output, of: interpreter) { values in
            values.count == layout.boxCount * layout.columnCount ? unit(shownBy: values) : nil
        }
        guard let unit = shown else { return probed }
        probed.unit = unit
        probed.assumptions.append("Boxes seem to be \(unit.summary), judged by a gray picture.")
        return probed
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
