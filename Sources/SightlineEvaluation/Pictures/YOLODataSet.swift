import Foundation
import Sightline
import TextFormatting

/// A data set with labels of YOLO, in the layouts of Ultralytics, Roboflow and CVAT (docs.ultralytics.com, "Object Detection Datasets
/// Overview").
///
/// ```
/// data.yaml               or any other .yaml, or classes.txt, obj.names
/// images/val/1.jpg        or val/images/1.jpg, or images/1.jpg
/// labels/val/1.txt        or val/labels/1.txt, or labels/1.txt; beside the picture if no folder is called images
/// ```
///
/// A line is `class cx cy width height` in fractions of the upright picture, perhaps with a confidence, or `class x1 y1 x2 y2 …` with
/// the corners of an outline. A picture without a label file has no objects.
struct YOLODataSet {
    /// The folder to which the paths of pictures are relative.
    let root: URL
    private let name: String
    private let classes: [String]
    /// The paths of the pictures.
    private let pictures: [String]

    /// Recognizes a data set: a folder, or the file that describes it. Nil for another file.
    ///
    /// With a description, the pictures are those of its part `val`, otherwise `test` or `train`.
    ///
    /// - Parameter folder: the folder of the pictures; nil for the folders of the data set.
    /// - Throws: `EvaluationError.malformedLabels` or `.unreadable`.
    init?(contentsOf url: URL, pictures folder: URL?) throws(EvaluationError) {
        let path = url.path(percentEncoded: false)
        let isFolder = Self.isFolder(url)
        guard isFolder || ["yaml", "yml"].contains(url.pathExtension.lowercased()) else { return nil }
        let top = (isFolder ? url : url.deletingLastPathComponent()).absoluteURL.standardizedFileURL
        name = url.absoluteURL.standardizedFileURL.lastPathComponent
        let description = try isFolder ? Self.description(in: top) : url
        let fields = try description.map { file throws(EvaluationError) in try YOLODescription(contentsOf: file) }
        let names = if let fields { fields.names } else { try Self.classes(in: top) }
        guard !names.isEmpty else {
            throw .malformedLabels(path: path, reason: "no data.yaml, classes.txt or obj.names in it names the classes")
        }
        classes = names
        let places = folder.map { [$0.absoluteURL.standardizedFileURL] } ?? Self.places(fields, in: top)
        let usual = folder?.absoluteURL.standardizedFileURL ?? fields?.root(in: top) ?? top
        // A description may lead to other disks.
        root = places.allSatisfy { Self.relative($0, to: usual) != nil || $0 == usual } ? usual : URL(filePath: "/")
        var found: [String] = []
        for place in places { found += try Self.pictures(at: place, below: root) }
        guard !found.isEmpty else {
            let listed = places.map { $0.path(percentEncoded: false) }.joined(separator: ", ")
            throw .malformedLabels(path: path, reason: "there are no pictures in \(listed), so put the pictures there")
        }
        pictures = Array(Set(found)).sorted()
    }

    /// The pictures with their objects.
    ///
    /// - Parameter masks: whether the outlines become masks, and boxes those of their corners.
    /// - Throws: `EvaluationError.malformedLabels` with the file and line, also if no picture has a label file.
    func annotations(masks: Bool = false) throws(EvaluationError) -> BoxAnnotations {
        var (listed, objects) = ([BoxAnnotations.Picture](), [BoxAnnotations.Object]())
        var labelFiles = 0
        for (index, path) in pictures.enumerated() {
            let url = root.appending(path: path)
            // A picture that cannot be opened is reported when its turn comes.
            let size = (try? VisionImage(contentsOf: url))?.size ?? PixelSize(width: 0, height: 0)
            listed.append(BoxAnnotations.Picture(id: index + 1, path: path, size: size))
            let file = Self.labels(of: url)
            guard let data = try? Data(contentsOf: file) else { continue }
            labelFiles += 1
            let lines = String(decoding: TextEncoding.utf8(data), as: UTF8.self).split(
                omittingEmptySubsequences: false,
                whereSeparator: \.isNewline
            )
            for (number, line) in lines.enumerated() {
                guard let label = try Self.label(line, number + 1, of: file, classCount: classes.count) else {
                    continue
                }
                let (width, height) = (Double(size.width), Double(size.height))
                let frame = PixelRect(
                    x: label.box.x * width,
                    y: label.box.y * height,
                    width: label.box.width * width,
                    height: label.box.height * height
                )
                let outline = label.outline.enumerated().map { $1 * ($0.isMultiple(of: 2) ? width : height) }
                let mask = masks ? COCOMask(polygon: outline.isEmpty ? frame.corners : outline, size: size) : nil
                let area = mask.map { Double($0.area) } ?? frame.width * frame.height
                objects.append(
                    .init(
                        picture: index,
                        category: label.category,
                        frame: frame,
                        area: area,
                        isCrowd: false,
                        mask: mask
                    )
                )
            }
        }
        guard labelFiles > 0 else {
            let first =
                pictures.first.map { Self.labels(of: root.appending(path: $0)).path(percentEncoded: false) } ?? ""
            throw .malformedLabels(
                path: root.path(percentEncoded: false),
                reason: "no picture has a label file; that of the first would be \(first)"
            )
        }
        let categories = classes.enumerated().map { BoxAnnotations.Category(id: $0 + 1, name: $1) }
        return BoxAnnotations(name: name, pictures: listed, categories: categories, objects: objects, hasMasks: masks)
    }

    /// A line of a label file, with the x and y of each corner where it has an outline; nil if it is blank.
    private static func label(
        _ line: Substring,
        _ number: Int,
        of file: URL,
        classCount: Int
    ) throws(EvaluationError) -> (category: Int, box: PixelRect, outline: [Double])? {
        func malformed(_ reason: String) -> EvaluationError {
            .malformedLabels(path: "\(file.path(percentEncoded: false)), line \(number)", reason: reason)
        }
        let fields = line.split(whereSeparator: \.isWhitespace)
        guard let first = fields.first else { return nil }
        guard let category = Int(first) ?? Double(first).flatMap(Int.init(exactly:)),
            (0..<classCount).contains(category)
        else {
            throw malformed("the class is \(first), expected a whole number below \(classCount)")
        }
        var numbers: [Double] = []
        for field in fields.dropFirst() {
            // Rounding may lead a little out of the picture.
            guard let value = Double(field), (-0.01...1.01).contains(value) else {
                throw malformed("it has \(field), expected numbers from 0 to 1")
            }
            numbers.append(min(max(value, 0), 1))
        }
        switch numbers.count {
        case 4, 5:
            let (width, height) = (numbers[2], numbers[3])
            return (
                category,
                PixelRect(x: numbers[0] - width / 2, y: numbers[1] - height / 2, width: width, height: height), []
            )
        case 6... where numbers.count.isMultiple(of: 2):
            let xs = stride(from: 0, to: numbers.count, by: 2).map { numbers[$0] }
            let ys = stride(from: 1, to: numbers.count, by: 2).map { numbers[$0] }
            let (left, top) = (xs.min() ?? 0, ys.min() ?? 0)
            let (right, bottom) = (xs.max() ?? 0, ys.max() ?? 0)
            return (category, PixelRect(x: left, y: top, width: right - left, height: bottom - top), numbers)
        default:
            throw malformed("it has \(fields.count) numbers, expected class, center x, center y, width and height")
        }
    }

    /// The label file of a picture: in a folder `labels` in place of the last folder `images`, otherwise beside the picture.
    private static func labels(of picture: URL) -> URL {
        let beside = picture.deletingPathExtension().appendingPathExtension("txt")
        var parts = beside.pathComponents
        guard let place = parts.dropLast().lastIndex(of: "images") else { return beside }
        parts[place] = "labels"
        let usual = URL(filePath: "/" + parts.filter { $0 != "/" }.joined(separator: "/"))
        let isBeside = !exists(usual) && exists(beside)
        return isBeside ? beside : usual
    }

    private static func exists(_ url: URL) -> Bool {
        FileManager.default.fileExists(atPath: url.path(percentEncoded: false))
    }

    /// The path of a file below a folder; nil for another file.
    private static func relative(_ url: URL, to root: URL) -> String? {
        let (path, folder) = (url.standardizedFileURL.path(percentEncoded: false), root.path(percentEncoded: false))
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
    }

    // MARK: Places

    private static func places(_ description: YOLODescription?, in folder: URL) -> [URL] {
        if let description {
            let root = description.root(in: folder)
            let listed = (description.pictures ?? []).map { Self.existing($0, root: root, folder: folder) }
            if !listed.isEmpty { return listed }
        }
        for names in [
            ["images/val"], ["val/images"], ["valid/images"], ["images"], ["val"], ["valid"], ["test/images"],
            ["train/images"],
        ] {
            let found = names.map { folder.appending(path: $0) }.filter(isFolder)
            if !found.isEmpty { return found }
        }
        return [folder]
    }

    /// Roboflow's paths begin with `../`, although they are relative to the folder of the description.
    private static func existing(_ path: String, root: URL, folder: URL) -> URL {
        let inside = String(path.trimmingPrefix("../"))
        let choices =
            path.hasPrefix("/") ? [URL(filePath: path)] : [root.appending(path: path), folder.appending(path: inside)]
        return choices.map(\.standardizedFileURL).first(where: exists) ?? choices[0]
    }

    /// The pictures of a folder and its folders, or of a list of paths.
    private static func pictures(at place: URL, below root: URL) throws(EvaluationError) -> [String] {
        if isFolder(place) {
            let path = place.path(percentEncoded: false)
            let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
            return names.filter { name in !name.split(separator: "/").contains { PictureListing.isHidden($0) } }
                .map { place.appending(path: $0) }
                .filter { !isFolder($0) && FileKind(of: $0) == .picture }
                .compactMap { relative($0, to: root) }
        }
        guard let data = try? Data(contentsOf: place) else {
            throw .unreadable(
                path: place.path(percentEncoded: false),
                reason: "there is no such folder or list of pictures"
            )
        }
        let lines = String(decoding: TextEncoding.utf8(data), as: UTF8.self).split(whereSeparator: \.isNewline)
        var paths: [String] = []
        for line in lines.map({ $0.trimmingCharacters(in: .whitespaces) }) where !line.isEmpty {
            let picture = existing(line, root: root, folder: place.deletingLastPathComponent())
            guard let path = relative(picture, to: root) else {
                throw .malformedLabels(
                    path: place.path(percentEncoded: false),
                    reason: "\(line) is not in \(root.path(percentEncoded: false)), so put the pictures there"
                )
            }
            paths.append(path)
        }
        return paths
    }

    private static func description(in folder: URL) throws(EvaluationError) -> URL? {
        let path = folder.path(percentEncoded: false)
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
            .filter { $0.lowercased().hasSuffix(".yaml") || $0.lowercased().hasSuffix(".yml") }
        guard names.count > 1 else { return names.first.map { folder.appending(path: $0) } }
        if names.contains("data.yaml") { return folder.appending(path: "data.yaml") }
        throw .malformedLabels(
            path: path,
            reason: "it has several descriptions (\(names.joined(separator: ", "))), so name one of them"
        )
    }

    /// The names of classes in a list with one name a line.
    private static func classes(in folder: URL) throws(EvaluationError) -> [String] {
        for name in ["classes.txt", "obj.names", "labels/classes.txt", "predefined_classes.txt"] {
            guard let data = try? Data(contentsOf: folder.appending(path: name)) else { continue }
            var lines = String(decoding: TextEncoding.utf8(data), as: UTF8.self)
                .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            while lines.last?.isEmpty == true { lines.removeLast() }
            return lines
        }
        return []
    }

    static func isFolder(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path(percentEncoded: false), isDirectory: &isFolder)
            && isFolder.boolValue
    }
}
