import FacadeSupport
import Foundation

/// The types and dimensions of a model's inputs and outputs.
#if canImport(ObjectiveC)
    @objc(FIRModelInputOutputOptions) @objcMembers
#endif
public final class ModelInputOutputOptions: NSObject {
    /// The expected format of an input or output.
    struct Format: Sendable {
        let type: ModelElementType
        let dimensions: [Int]
    }

    private(set) var inputs: [UInt: Format] = [:]
    private(set) var outputs: [UInt: Format] = [:]

    /// Creates options without formats.
    public override init() {}

    /// Sets the format of an input. A dimension that differs from the model's resizes the input.
    ///
    /// - Parameters:
    ///   - index: The index of the input, from 0.
    ///   - type: The element type.
    ///   - dimensions: Numbers above 0.
    /// - Throws: An `NSError` with code 3 for an unknown type, or for dimensions that are missing or not above 0.
    #if canImport(ObjectiveC)
        @objc(setInputFormatForIndex:type:dimensions:error:)
    #endif
    public func setInputFormat(index: UInt, type: ModelElementType, dimensions: [NSNumber]) throws {
        inputs[index] = try format(type, dimensions)
    }

    /// Sets the expected format of an output. A run fails if the model's output has another format.
    ///
    /// - Parameters:
    ///   - index: The index of the output, from 0.
    ///   - type: The element type.
    ///   - dimensions: Numbers above 0.
    /// - Throws: An `NSError` with code 3 for an unknown type, or for dimensions that are missing or not above 0.
    #if canImport(ObjectiveC)
        @objc(setOutputFormatForIndex:type:dimensions:error:)
    #endif
    public func setOutputFormat(index: UInt, type: ModelElementType, dimensions: [NSNumber]) throws {
        outputs[index] = try format(type, dimensions)
    }

    private func format(_ type: ModelElementType, _ dimensions: [NSNumber]) throws -> Format {
        let sizes = dimensions.map(\.intValue)
        guard type != .unknown else {
            throw FirebaseErrors.translate(FacadeError.modelFormat(reason: "the element type is unknown"))
        }
        guard !sizes.isEmpty, sizes.allSatisfy({ $0 > 0 }) else {
            throw FirebaseErrors.translate(
                FacadeError.modelFormat(reason: "the dimensions are \(sizes), expected numbers above 0")
            )
        }
        return Format(type: type, dimensions: sizes)
    }
}
