import FacadeSupport
import Foundation

/// What type and dimensions a model's inputs and outputs have.
public final class ModelInputOutputOptions: NSObject {
    /// The format that the caller expects of one input or output.
    struct Format: Sendable {
        let type: ModelElementType
        let dimensions: [Int]
    }

    private(set) var inputs: [UInt: Format] = [:]
    private(set) var outputs: [UInt: Format] = [:]

    /// Options that say nothing.
    public override init() {}

    /// Says what an input is. Another number in a dimension than the model has resizes the input.
    ///
    /// - Parameters:
    ///   - index: counts the model's inputs from 0.
    ///   - type: the type of the input's elements.
    ///   - dimensions: numbers above 0.
    /// - Throws: an `NSError` of code 3 for an unknown type, or for dimensions that are missing or not above 0.
    public func setInputFormat(index: UInt, type: ModelElementType, dimensions: [NSNumber]) throws {
        inputs[index] = try format(type, dimensions)
    }

    /// Says what an output is. The model decides; a run fails if it decides otherwise.
    ///
    /// - Parameters:
    ///   - index: counts the model's outputs from 0.
    ///   - type: the type of the output's elements.
    ///   - dimensions: numbers above 0.
    /// - Throws: an `NSError` of code 3 for an unknown type, or for dimensions that are missing or not above 0.
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
