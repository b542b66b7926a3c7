import Sightline

/// A reason why a model cannot be evaluated.
public enum EvaluationError: Error, Sendable, Hashable {
    /// A file or folder cannot be read.
    case unreadable(path: String, reason: String)
    /// The folder contains no folders with pictures.
    case noPictures(path: String)
    /// No picture in the annotations can be used.
    case noUsablePicture(path: String, reason: String)
    /// No folder has the name of a label of the model.
    case noKnownLabel(folders: [String], labels: [String])
    /// There are too many pictures.
    case tooManyPictures(path: String, maximum: Int)
    /// There are too many folders.
    case tooManyFolders(path: String, maximum: Int)
    /// The file is not a zip archive, or is damaged.
    case notAnArchive(path: String, reason: String)
    /// The archive has an entry that archives of pictures do not need: a path that leads out of the archive, a link, an
    /// encrypted or duplicate file, or a file that unpacks to an extreme size.
    case unsafeArchive(path: String, entry: String, reason: String)
    /// Annotations or detections are not in COCO's format.
    case malformed(path: String, reason: String)
    /// Labels of YOLO cannot be used.
    case malformedLabels(path: String, reason: String)
    /// Boxes of Pascal VOC, CVAT or Label Studio cannot be used.
    case malformedAnnotations(path: String, reason: String)
    /// The annotations are for a picture of another size; `isTurned` if they are for the stored pixels of a picture that its EXIF
    /// orientation turns.
    case otherSize(path: String, annotated: PixelSize, found: PixelSize, isTurned: Bool)
    /// No label of the model is the name of a category.
    case noKnownCategory(labels: [String], categories: [String])
    /// Key points are to be compared, but the model gives none.
    case noKeypoints(model: String)
    /// Masks shall be compared, and the model gives none.
    case noMasks(model: String)
    /// Masks shall be compared, and the annotations are in a format without outlines.
    case noOutlines(path: String)
    /// The data is not a valid report.
    case malformedReport(reason: String)
    /// A report cannot be written.
    case unwritable(path: String, reason: String)
}

extension EvaluationError: CustomStringConvertible {
    /// One sentence: the failure, its place, and the next step.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason):
            "\(path) cannot be read: \(reason)."
        case .noPictures(let path):
            "\(path) contains no folders with pictures; create a folder for each label and put its pictures there."
        case .noUsablePicture(let path, let reason):
            "No picture in \(path) can be used; check that it holds the pictures of the annotations. The first one: \(reason)"
        case .noKnownLabel(let folders, let labels):
            "No folder (\(Self.list(folders))) has the name of a label of the model (\(Self.list(labels))); "
                + "rename the folders, or pass the model's labels."
        case .tooManyPictures(let path, let maximum):
            "\(path) contains more than \(maximum) pictures; evaluate a part of them."
        case .tooManyFolders(let path, let maximum):
            "\(path) contains more than \(maximum) folders; evaluate a part of them."
        case .notAnArchive(let path, let reason):
            "\(path) is not a readable zip archive: \(reason); pack it again."
        case .unsafeArchive(let path, let entry, let reason):
            "\(path) is not safe: its entry \"\(entry)\" \(reason); pack the pictures again without this entry."
        case .malformed(let path, let reason):
            "\(path) is not in COCO's format: \(reason)."
        case .malformedLabels(let path, let reason):
            "\(path) is not a label file or data set of YOLO: \(reason)."
        case .malformedAnnotations(let path, let reason):
            "\(path) cannot be used: \(reason)."
        case .otherSize(let path, let annotated, let found, let isTurned):
            "\(path) has \(found.width) × \(found.height) pixels, but its annotations are for "
                + "\(annotated.width) × \(annotated.height)"
                + (isTurned
                    ? ", the stored pixels, which its EXIF orientation rotates; annotate the upright picture."
                    : "; name the pictures that were annotated, or scale the annotations.")
        case .noKnownCategory(let labels, let categories):
            "No label of the model (\(Self.list(labels))) is the name of a category (\(Self.list(categories))); "
                + "use a model for these categories, or pass the model's labels."
        case .noKeypoints(let model):
            "\(model) gives no key points; compare its boxes, or use a model for poses."
        case .noMasks(let model):
            "\(model) gives no masks; leave out the masks to compare boxes, or give a model for segmentation."
        case .noOutlines(let path):
            "\(path) is not in a format whose outlines are read; give annotations of COCO or YOLO, or compare boxes."
        case .malformedReport(let reason):
            "The evaluation's report cannot be read: \(reason); evaluate again."
        case .unwritable(let path, let reason):
            "\(path) cannot be written: \(reason)."
        }
    }

    /// The first few names.
    static func list(_ names: [String]) -> String {
        let shown = names.prefix(5).joined(separator: ", ")
        return names.count > 5 ? "\(shown) and \(names.count - 5) more" : shown.isEmpty ? "none" : shown
    }
}
