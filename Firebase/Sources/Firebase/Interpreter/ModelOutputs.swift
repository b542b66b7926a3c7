import FacadeSupport
import Foundation

/// The outputs of a run.
#if canImport(ObjectiveC)
    @objc(FIRModelOutputs) @objcMembers
#endif
public final class ModelOutputs: NSObject, Sendable {
    /// An output of the model.
    struct Output: Sendable {
        let type: ModelElementType
        let dimensions: [Int]
        let data: Data
    }

    private let outputs: [Output]

    init(_ outputs: [Output]) { self.outputs = outputs }

    /// Returns an output as arrays of `NSNumber`, nested like its dimensions: `[[NSNumber]]` for two dimensions.
    ///
    /// - Parameter index: The index of the output, from 0.
    /// - Throws: An `NSError` with code 3 if there is no such output.
    #if canImport(ObjectiveC)
        @objc(outputAtIndex:error:)
    #endif
    public func output(index: UInt) throws -> Any {
        guard let position = Int(exactly: index), outputs.indices.contains(position) else {
            let reason = "there is no output \(index), the model has \(outputs.count)"
            throw FirebaseErrors.translate(FacadeError.modelFormat(reason: reason))
        }
        let output = outputs[position]
        return Self.nested(output.type.numbers(in: output.data)[...], output.dimensions[...])
    }

    private static func nested(_ numbers: ArraySlice<NSNumber>, _ dimensions: ArraySlice<Int>) -> Any {
        guard dimensions.count > 1, let rows = dimensions.first, rows > 0 else { return Array(numbers) }
        let size = numbers.count / rows
        return (0..<rows).map { row in
            let start = numbers.startIndex + row * size
            return nested(numbers[start..<start + size], dimensions.dropFirst())
        }
    }
}
