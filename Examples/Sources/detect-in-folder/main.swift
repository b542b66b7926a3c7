// Detects objects in all JPEG pictures in a folder, two pictures at a time.
//
//     detect-in-folder [FOLDER MODEL [LABELS]]

import Foundation
import Sightline

let arguments = CommandLine.arguments.dropFirst()
let folder = URL(filePath: arguments.first ?? "Tests/Fixtures/images")
let model = arguments.dropFirst().first ?? "Tests/Fixtures/models/ssd_metadata.tflite"

let labels = arguments.dropFirst(2).first.map { URL(filePath: $0) }
var options = ObjectDetectorOptions(model: LocalModel(url: URL(filePath: model), labels: labels))
options.workers = 2

do {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasSuffix(".jpg") }.sorted()
    let images = try names.map { try VisionImage(contentsOf: folder.appending(path: $0)) }
    let results = try await ObjectDetector(options: options).objects(in: images)
    for (name, objects) in zip(names, results) {
        let found = objects.map { object in
            "\(object.labels.first?.text ?? "object") at \(Int(object.frame.x)), \(Int(object.frame.y))"
        }
        print("\(name): \(found.joined(separator: "; "))")
    }
} catch {
    print(error)
    exit(1)
}

// Prints:
// exif-6.jpg: red at 10, 3; blue at 29, 18
// exif-8.jpg: red at 10, 3; blue at 29, 18
// jpeg-1x1.jpg: red at 0, 0; blue at 0, 0
// jpeg-420.jpg: red at 10, 3; blue at 29, 18
// jpeg-422.jpg: red at 10, 3; blue at 29, 18
// jpeg-444.jpg: red at 10, 3; blue at 29, 18
// jpeg-cmyk-unmarked.jpg: red at 10, 3; blue at 29, 18
// jpeg-cmyk.jpg: red at 10, 3; blue at 29, 18
// jpeg-gray.jpg: red at 10, 3; blue at 29, 18
// jpeg-progressive.jpg: red at 10, 3; blue at 29, 18
// jpeg-restart.jpg: red at 10, 3; blue at 29, 18
// jpeg-ycck.jpg: red at 10, 3; blue at 29, 18
// large-420.jpg: red at 40, 14; blue at 111, 75
// large-422.jpg: red at 40, 14; blue at 111, 75
// large-444.jpg: red at 40, 14; blue at 111, 75
// large-gray.jpg: red at 40, 14; blue at 111, 75
// large-progressive.jpg: red at 40, 14; blue at 111, 75
// large-restart.jpg: red at 40, 14; blue at 111, 75
// wide.jpg: red at 6000, 0; blue at 16500, 0
