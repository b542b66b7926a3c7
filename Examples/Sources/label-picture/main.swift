// Labels a picture.
//
//     label-picture [PHOTO MODEL [LABELS]]

import Foundation
import Sightline

let arguments = CommandLine.arguments.dropFirst()
let photo = arguments.first ?? "Tests/Fixtures/images/large-444.jpg"
let model = arguments.dropFirst().first ?? "Tests/Fixtures/models/classifier_uint8_metadata.tflite"

let labels = arguments.dropFirst(2).first.map { URL(filePath: $0) }
var options = ImageLabelerOptions(model: LocalModel(url: URL(filePath: model), labels: labels))
options.maximumLabels = 3

do {
    let labeler = try ImageLabeler(options: options)
    for label in try labeler.labels(in: URL(filePath: photo)) {
        print("\(label.text): \(Int((label.confidence * 100).rounded())) %")
    }
} catch {
    print(error)
    exit(1)
}

// Prints:
// red: 52 %
// green: 38 %
