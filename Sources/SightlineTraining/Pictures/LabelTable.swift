import Foundation
import Sightline
import SightlineEvaluation

/// A drawn box with its label.
package struct LabeledBox: Sendable, Hashable {
    /// The box in pixels.
    package let frame: PixelRect
    /// The label.
    package let label: String
    /// Whether it is around a group of things.
    package let isGroup: Bool
}

/// Files that name pictures and their labels.
enum LabelTable {
    /// A picture with its labels.
    struct Row {
        let path: String
        let labels: [String]
        let isHeldOut: Bool
        /// The drawn boxes; nil if the file has none of any picture.
        var boxes: [LabeledBox]?
        /// The size of the picture that the file gives; nil without one.
        var size: PixelSize?
    }

    // MARK: - AutoML's CSV

    private static let sets: Set = ["TRAIN", "VALIDATION", "VALIDATE", "TEST", "UNASSIGNED", "TRAINING", ""]
    private static let headings: Set = [
        "file", "filename", "file_name", "image", "image_path", "path", "ml_use", "set", "split", "imageuri", "uri",
    ]

    /// Reads `[set,]path[,label…]` a line, as AutoML Vision does.
    static func rows(ofCSV data: Data, path: String) throws(TrainingError) -> [Row] {
        guard let text = String(data: data, encoding: .utf8) else {
            throw .malformed(path: path, reason: "it is not UTF-8 text, so save it as such")
        }
        var rows: [Row] = []
        for (number, fields) in records(text).enumerated() {
            if number == 0, headings.contains(fields[0].lowercased()) { continue }
            let set = fields[0].uppercased()
            let hasSet = sets.contains(set) && fields.count > 1
            let rest = fields.dropFirst(hasSet ? 2 : 1)
            let file = hasSet ? fields[1] : fields[0]
            guard !file.isEmpty else { continue }
            guard rest.count(where: { Double($0) != nil }) < 4 else {
                throw .malformed(
                    path: path,
                    reason: "line \(number + 1) has the corners of a box, but labels of whole pictures are needed"
                )
            }
            rows.append(Row(path: file, labels: rest.filter { !$0.isEmpty }, isHeldOut: hasSet && set == "TEST"))
        }
        guard !rows.isEmpty else {
            throw .malformed(path: path, reason: "it has no line of the form TRAIN,path,label")
        }
        return rows
    }

    /// The records of a CSV file (RFC 4180), without empty lines. Spaces around fields do not count.
    private static func records(_ text: String) -> [[String]] {
        var (records, record, field): ([[String]], [String], String) = ([], [], "")
        var isQuoted = false
        func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespaces) }
        func end() {
            record.append(trimmed(field))
            field = ""
            if record != [""] { records.append(record) }
            record = []
        }
        var rest = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        while let character = rest.popFirst() {
            switch character {
            case "\"" where isQuoted && rest.first == "\"":
                field.append("\"")
                rest.removeFirst()
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                record.append(trimmed(field))
                field = ""
            case _ where character.isNewline && !isQuoted: end()
            default: field.append(character)
            }
        }
        end()
        return records
    }

    // MARK: - COCO

    /// Reads COCO's format: the labels of a picture are the categories of its objects.
    static func rows(ofCOCO data: Data, path: String) throws(EvaluationError) -> [Row] {
        let document = try COCODocument<COCOFile>(data, path: path)
        let file = document.content
        let names = Dictionary(file.categories.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
        var labels: [Int: Set<String>] = [:]
        var boxes: [Int: [LabeledBox]] = [:]
        for annotation in file.annotations {
            guard let name = names[annotation.category_id] else { continue }
            labels[annotation.image_id, default: []].insert(name)
            guard let box = annotation.bbox, box.count == 4 else { continue }
            boxes[annotation.image_id, default: []].append(
                LabeledBox(
                    frame: PixelRect(x: box[0], y: box[1], width: box[2], height: box[3]),
                    label: name,
                    isGroup: annotation.iscrowd?.value ?? false
                )
            )
        }
        // A picture without boxes shows none of the things, if other pictures have boxes.
        let hasBoxes = !boxes.isEmpty
        var rows: [Row] = []
        for (number, image) in file.images.enumerated() {
            let name = try document.required(image.file_name, at: "images", number, "file_name")
            var row = Row(path: name, labels: labels[image.id, default: []].sorted(), isHeldOut: false)
            if let width = image.width, let height = image.height, width > 0, height > 0 {
                row.size = PixelSize(width: width, height: height)
            }
            if hasBoxes { row.boxes = boxes[image.id] ?? [] }
            rows.append(row)
        }
        return rows
    }
}
