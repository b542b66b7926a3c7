import Foundation

/// The description that the file of a classifier or a detector carries: the form of its picture, its labels, and the threshold of its answers.
///
/// Source of the format: the TensorFlow Lite metadata schema (file identifier M001).
package struct ClassifierMetadata: Sendable {
    /// The model's name.
    package var name: String
    /// A sentence about the model.
    package var description: String
    /// The license; nil if it is not known.
    package var license: String?
    /// The labels in the order of the scores.
    package var labels: [String]
    /// The conversion of pixel values to elements of a float input; nil for an input of bytes.
    package var normalization: TensorMetadata.Normalization?
    /// The confidence, 0…1, below which answers should be dropped; nil for none.
    package var scoreThreshold: Float?
    /// A sentence about the picture that the model takes.
    package var inputDescription = "The picture, cropped to its largest centered square."
    /// Further files that are packed into the model.
    package var files: [(name: String, content: Data)] = []

    /// Creates a description of a model with labels.
    package init(name: String, description: String, labels: [String]) {
        (self.name, self.description, self.labels) = (name, description, labels)
    }

    private static let labelFileName = "labels.txt"

    /// The labels as a file: one a line.
    var labelFile: (name: String, content: Data) { (Self.labelFileName, Data(labelText.utf8)) }

    /// The labels as text: one a line.
    package var labelText: String { labels.map { $0 + "\n" }.joined() }

    /// The bytes of the metadata of a classifier.
    var bytes: [UInt8] {
        var output = Self.output("scores", "The probability of each label.")
        // The labels of the last axis.
        output[6] = .offset(.vector([.table([0: .offset(.string(Self.labelFileName)), 2: .uint8(2)])]))
        addThreshold(to: &output)
        return bytes(outputs: [output])
    }

    /// The bytes of the metadata of a detector with the outputs of `TFLite_Detection_PostProcess`.
    var detectorBytes: [UInt8] {
        var boxes = Self.output("location", "The top, left, bottom and right of each box, in fractions of the picture.")
        // BoundingBoxProperties: left, top, right and bottom are the numbers 1, 0, 3 and 2; BOUNDARIES.
        boxes[3] = .offset(
            .table([0: .uint8(3), 1: .offset(.table([0: .offset(.int32s([1, 0, 3, 2])), 1: .uint8(1)]))])
        )
        var classes = Self.output("category", "The label of each box.")
        // The labels of the values.
        classes[6] = .offset(.vector([.table([0: .offset(.string(Self.labelFileName)), 2: .uint8(3)])]))
        var scores = Self.output("score", "The confidence of each box.")
        addThreshold(to: &scores)
        return bytes(outputs: [
            boxes, classes, scores, Self.output("number of detections", "The number of boxes."),
        ])
    }

    /// An output of numbers.
    private static func output(_ name: String, _ description: String) -> [Int: FlatBufferNode.Field] {
        [
            0: .offset(.string(name)), 1: .offset(.string(description)),
            // FeatureProperties.
            3: .offset(.table([0: .uint8(1), 1: .offset(.table([:]))])),
        ]
    }

    private func addThreshold(to output: inout [Int: FlatBufferNode.Field]) {
        guard let scoreThreshold else { return }
        output[4] = .offset(.vector([.table([0: .uint8(3), 1: .offset(.table([0: .float(scoreThreshold)]))])]))
    }

    private func bytes(outputs: [[Int: FlatBufferNode.Field]]) -> [UInt8] {
        var input: [Int: FlatBufferNode.Field] = [
            0: .offset(.string("image")), 1: .offset(.string(inputDescription)),
            // ImageProperties, the second of the contents, with the colors red, green, blue.
            3: .offset(.table([0: .uint8(2), 1: .offset(.table([0: .uint8(1)]))])),
        ]
        if let normalization {
            let options: [Int: FlatBufferNode.Field] = [
                0: .offset(.floats(normalization.mean)), 1: .offset(.floats(normalization.standardDeviation)),
            ]
            input[4] = .offset(.vector([.table([0: .uint8(1), 1: .offset(.table(options))])]))
        }
        var root: [Int: FlatBufferNode.Field] = [
            0: .offset(.string(name)), 1: .offset(.string(description)),
            3: .offset(
                .vector([
                    .table([
                        2: .offset(.vector([.table(input)])), 3: .offset(.vector(outputs.map { .table($0) })),
                    ])
                ])
            ),
        ]
        if let license { root[5] = .offset(.string(license)) }
        return FlatBufferWriter(root: .table(root), identifier: "M001", multiple: 16).bytes
    }
}
