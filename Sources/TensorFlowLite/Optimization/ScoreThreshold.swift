import Foundation

/// Raises the score from which `TFLite_Detection_PostProcess` sorts and compares boxes.
///
/// A box never removes another box of a higher score, so all boxes that reach the new threshold stay the same. This holds
/// for the operator's fast suppression; models that suppress overlaps for each class by itself are left alone.
/// Source: the operator's kernel, detection_postprocess.cc.
enum ScoreThreshold {
    /// Raises the thresholds in a draft.
    ///
    /// - Returns: The lowest threshold so far; nil if no threshold was below the wanted threshold.
    static func raise(to threshold: Float, in draft: inout ModelDraft) throws -> Float? {
        var lowest: Float?
        for operation in draft.operators {
            let code = draft.codes[operation.code]
            guard code.isCustom, code.name == OperatorRule.detectionPostProcess,
                let bytes = try operation.table?.byteVector(5), let base = draft.file.bytes.baseAddress,
                let start = bytes.baseAddress, let options = try? FlexBufferMap(bytes),
                options.values["use_regular_nms", default: 0] == 0,
                let place = options.floats["nms_score_threshold"],
                let old = options.values["nms_score_threshold"], old < Double(threshold)
            else { continue }
            let position = start - base + place.lowerBound
            var new: [UInt8] = []
            if place.count == 4 {
                withUnsafeBytes(of: threshold.bitPattern.littleEndian) { new += $0 }
            } else {
                withUnsafeBytes(of: Double(threshold).bitPattern.littleEndian) { new += $0 }
            }
            try draft.patch(position..<position + new.count, with: new)
            lowest = min(lowest ?? .infinity, Float(old))
        }
        return lowest
    }
}
