// Labels a picture.
//
//     label-picture [PHOTO MODEL [LABELS]]

import Foundation
import Sightline

let arguments = CommandLine.arguments.dropFirst()
let photo = arguments.first ?? "Tests/Fixtures/images/large-444.jpg"
let model = arguments.dropFirst().first ?? "Tests/Fixtures/models/classifier_uint8_metadata.tflite"

var options = ImageLabelerOptions(model: LocalModel(path: model, labelsPath: arguments.dropFirst(2).first))
options.maximumLabels = 3

do {
    let labeler = try ImageLabeler(options: options)
    for label in try await labeler.labels(in: VisionImage(contentsOf: URL(filePath: photo))) {
        print("\(label.text): \(Int((label.confidence * 100).rounded())) %")
    }
} catch {
    print(error)
    exit(1)
}

// Prints:
// red: 52 %
// green: 38 %
