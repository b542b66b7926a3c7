// Runs an object detection model from AutoML Vision Edge with only an interpreter, like a program written for
// TensorFlowLiteSwift.
//
//     raw-interpreter [PHOTO MODEL LABELS]
//
// LABELS is the export's dict.txt. `ObjectDetector` needs three lines for all of this.

import Foundation
import Sightline
import TensorFlowLite

let arguments = CommandLine.arguments
let photo = arguments.count > 1 ? arguments[1] : "Tests/Fixtures/images/large-444.jpg"
let modelPath = arguments.count > 2 ? arguments[2] : "Tests/Fixtures/models/ssd_metadata.tflite"

do {
    let interpreter = try Interpreter(modelPath: modelPath)
    try interpreter.allocateTensors()

    // [1, height, width, 3], one byte per color channel, as in the export's tflite_metadata.json; 320 × 320 is common.
    let input = try interpreter.input(at: 0)
    guard input.dataType == .uInt8, input.shape.rank == 4 else {
        print("The model expects \(input.dataType) of shape \(input.shape.dimensions), not a picture of bytes.")
        exit(1)
    }
    let (height, width) = (input.shape.dimensions[1], input.shape.dimensions[2])
    let picture = try VisionImage(contentsOf: URL(filePath: photo))
    let format = InputFormat(size: PixelSize(width: width, height: height))
    try interpreter.copy(picture.tensor(format), toInputAt: 0)
    try interpreter.invoke()

    // Boxes as top, left, bottom, right in fractions of the picture; class numbers; confidences.
    let boxes = floats(of: try interpreter.output(at: 0))
    let labels = floats(of: try interpreter.output(at: 1))
    let confidences = floats(of: try interpreter.output(at: 2))
    let names = try labelNames(interpreter.model)

    for i in confidences.indices where confidences[i] > 0.66 {
        let (top, left) = (boxes[4 * i], boxes[4 * i + 1])
        let (bottom, right) = (boxes[4 * i + 2], boxes[4 * i + 3])
        let index = Int(labels[i])
        print("\(names.indices.contains(index) ? names[index] : "class \(index)"): \(rounded(confidences[i]))")
        print("  top left (\(rounded(left)), \(rounded(top))), bottom right (\(rounded(right)), \(rounded(bottom)))")
    }
} catch {
    print(error)
    exit(1)
}

/// A float tensor's elements.
func floats(of tensor: Tensor) -> [Float] {
    [Float](unsafeUninitializedCapacity: tensor.data.count / 4) { buffer, count in
        count = tensor.data.copyBytes(to: buffer) / 4
    }
}

/// One name per line, from the file in the arguments or from the model's metadata.
func labelNames(_ model: Model) throws -> [String] {
    let data =
        arguments.count > 3
        ? try Data(contentsOf: URL(filePath: arguments[3])) : try model.associatedFile(named: "labelmap.txt")
    return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
}

func rounded(_ value: Float) -> Float { (value * 100).rounded() / 100 }

// Prints:
// red: 0.9
//   top left (0.2, 0.1), bottom right (0.6, 0.5)
// blue: 0.8
//   top left (0.55, 0.5), bottom right (0.95, 0.9)
