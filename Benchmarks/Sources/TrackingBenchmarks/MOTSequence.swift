import Foundation
import Sightline

/// The detections of a sequence in MOTChallenge's layout (P. Dendorfer and others, "MOTChallenge: A Benchmark for
/// Single-Camera Multiple Target Tracking", 2020).
struct MOTSequence {
    let name: String
    let frameRate: Double
    let group: String
    /// The detections of each frame.
    private(set) var frames: [[DetectedObject]]

    /// Whether the detections are MOTChallenge's public ones, of older detectors with other confidences.
    var isPublicDetector: Bool { group.hasSuffix("dpm") || group.hasSuffix("frcnn") }

    init(contentsOf folder: URL) throws {
        var info: [String: String] = [:]
        for line in try String(contentsOf: folder.appending(path: "seqinfo.ini"), encoding: .utf8).split(
            separator: "\n"
        ) {
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if parts.count == 2 { info[parts[0]] = parts[1] }
        }
        guard let rate = info["frameRate"].flatMap(Double.init), rate > 0,
            let count = info["seqLength"].flatMap({ Int($0) })
        else { throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: folder.path]) }
        name = folder.lastPathComponent
        frameRate = rate
        group = info["group"] ?? ""
        frames = Array(repeating: [], count: count)
        let text = try String(contentsOf: folder.appending(path: "det/det.txt"), encoding: .utf8)
        for line in text.split(separator: "\n") {
            let values = line.split(separator: ",").prefix(8).compactMap { Double($0) }
            guard values.count >= 7, let frame = Int(exactly: values[0]), frames.indices.contains(frame - 1) else {
                continue
            }
            let box = PixelRect(x: values[2], y: values[3], width: values[4], height: values[5])
            // All trackers of pedestrians leave these out there: specks and boxes too wide for people.
            if group.hasPrefix("mot"), box.area <= 100 || box.width > 1.6 * box.height { continue }
            // Column 8 is −1 in MOTChallenge's own files, and a class where a detector of classes wrote them.
            let classIndex = values.dropFirst(7).first.flatMap { $0 >= 0 ? Int(exactly: $0) : nil }
            frames[frame - 1].append(DetectedObject(frame: box, confidence: Float(values[6]), classIndex: classIndex))
        }
    }

    /// The confirmed objects as result rows: frame, id, left, top, width, height, confidence.
    func text(of results: [[DetectedObject]]) -> String {
        var text = ""
        for (index, objects) in results.enumerated() {
            for object in objects {
                guard let id = object.id else { continue }
                let box = object.frame
                text += "\(index + 1),\(id),\(box.x),\(box.y),\(box.width),\(box.height),\(object.confidence)\n"
            }
        }
        return text
    }
}
