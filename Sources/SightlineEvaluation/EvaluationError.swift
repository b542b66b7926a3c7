/// Why a model cannot be evaluated.
public enum EvaluationError: Error, Sendable, Hashable {
    /// A file or folder cannot be read.
    case unreadable(path: String, reason: String)
    /// There are no folders with pictures in them.
    case noPictures(path: String)
    /// None of the pictures that annotations list can be used.
    case noUsablePicture(path: String, reason: String)
    /// None of the folders is called as one of the model's labels.
    case noKnownLabel(folders: [String], labels: [String])
    /// There are more pictures than may be.
    case tooManyPictures(path: String, maximum: Int)
    /// There are more folders than may be.
    case tooManyFolders(path: String, maximum: Int)
    /// A file is no zip archive, or one that is damaged.
    case notAnArchive(path: String, reason: String)
    /// An archive holds something that one with pictures has no use for: paths that lead out of it, links, encrypted or
    /// doubled files, or far more bytes than it has itself.
    case unsafeArchive(path: String, entry: String, reason: String)
    /// Annotations or detections are not in COCO's format.
    case malformed(path: String, reason: String)
    /// None of the model's labels is the name of a category.
    case noKnownCategory(labels: [String], categories: [String])
    /// What should be a report is none.
    case malformedReport(reason: String)
    /// A report cannot be written.
    case unwritable(path: String, reason: String)
}

extension EvaluationError: CustomStringConvertible {
    /// What, where, and the next step, in one sentence.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason):
            "\(path) cannot be read: \(reason)."
        case .noPictures(let path):
            "\(path) holds no folders with pictures in them; make a folder for each label and put its pictures there."
        case .noUsablePicture(let path, let reason):
            "No picture in \(path) can be used; name the folder in which those of the annotations lie, of which the first "
                + "says: \(reason)"
        case .noKnownLabel(let folders, let labels):
            "None of the folders (\(Self.list(folders))) is called as a label of the model (\(Self.list(labels))); "
                + "rename them, or give the model its labels."
        case .tooManyPictures(let path, let maximum):
            "\(path) holds more than \(maximum) pictures; evaluate a part of them."
        case .tooManyFolders(let path, let maximum):
            "\(path) holds more than \(maximum) folders; evaluate a part of them."
        case .notAnArchive(let path, let reason):
            "\(path) is no zip archive that can be read: \(reason); pack it again."
        case .unsafeArchive(let path, let entry, let reason):
            "\(path) is not read, since its entry \"\(entry)\" \(reason); pack the pictures again, without it."
        case .malformed(let path, let reason):
            "\(path) is not in COCO's format: \(reason)."
        case .noKnownCategory(let labels, let categories):
            "None of the model's labels (\(Self.list(labels))) is the name of a category (\(Self.list(categories))); "
                + "use a model for these categories, or give it its labels."
        case .malformedReport(let reason):
            "The evaluation's report cannot be read: \(reason); evaluate again."
        case .unwritable(let path, let reason):
            "\(path) cannot be written: \(reason)."
        }
    }

    /// The first few of some names.
    static func list(_ names: [String]) -> String {
        let shown = names.prefix(5).joined(separator: ", ")
        return names.count > 5 ? "\(shown) and \(names.count - 5) more" : shown.isEmpty ? "none" : shown
    }
}
