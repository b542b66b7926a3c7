import Foundation
import Sightline

/// The pictures of the arguments, one after another: files, folders with all their pictures, glob patterns, and `-` for standard
/// input.
///
/// A folder is listed once, when its turn comes, so that memory does not grow with the number of all pictures.
struct InputSequence: Sequence, IteratorProtocol {
    private enum Step {
        case argument(String)
        case folder(path: String, nameInFolder: String)
        case ready(Input)
    }

    /// The remaining steps. The next step is the last element.
    private var steps: [Step]
    /// The present folder argument, whether it has pictures, and its other files.
    private var openFolder: (path: String, hasPictures: Bool, skipped: SkippedFiles)?
    /// Pictures and videos of the folders so far whose formats the command does not read.
    private(set) var skipped = SkippedFiles()
    /// The number of inputs so far and of those that are known to follow. It grows while folders are listed.
    private(set) var knownCount: Int
    /// The number of steps that may stand for several inputs.
    private var openStepCount: Int
    /// Whether ``knownCount`` is the number of all inputs.
    var isKnownCountFinal: Bool { openStepCount == 0 }

    /// Whether each picture keeps its whole path, because several folders may have pictures of the same names.
    private let keepsPaths: Bool
    /// Subfolders that are left out.
    private let excludedFolders: [String]

    /// - Parameters:
    ///   - arguments: the inputs on the command line.
    ///   - excludedFolders: folders that receive results. They may lie in a folder of inputs.
    init(arguments: [String], excludedFolders: [String] = []) {
        steps = arguments.reversed().map { .argument($0) }
        openStepCount = arguments.count(where: Self.canBeSeveral)
        knownCount = arguments.count - openStepCount
        self.excludedFolders = excludedFolders
        // A pattern may match several folders.
        keepsPaths = openStepCount > 1 || arguments.contains { !Self.isFolder($0) && Self.canBeSeveral($0) }
    }

    mutating func next() -> Input? {
        while let step = steps.popLast() {
            switch step {
            case .ready(let input):
                if case .file = input.content { openFolder?.hasPictures = true }
                return input
            case .folder(let path, let nameInFolder):
                if let failure = list(path, nameInFolder: nameInFolder) { return failure }
            case .argument(let argument):
                if let emptyFolder = closeFolder() {
                    steps.append(step)
                    return emptyFolder
                }
                expand(argument)
            }
        }
        return closeFolder()
    }

    /// Ends the present folder argument. Returns a failure if it had no pictures.
    private mutating func closeFolder() -> Input? {
        defer { openFolder = nil }
        guard let openFolder else { return nil }
        guard !openFolder.hasPictures else {
            skipped.add(openFolder.skipped)
            return nil
        }
        knownCount += 1
        let reason = "the folder holds no pictures (\(ImageFormat.readableNames))"
        guard openFolder.skipped.isEmpty else {
            return .failure(openFolder.path, "\(reason). \(openFolder.skipped.sentence)")
        }
        return .failure(openFolder.path, "\(reason); name another one.")
    }

    private mutating func expand(_ argument: String) {
        if argument == "-" {
            steps.append(.ready(.standardInput))
        } else if Self.isFolder(argument) {
            openFolder = (argument, false, SkippedFiles())
            steps.append(.folder(path: argument, nameInFolder: ""))
        } else if Input.isAddress(argument), !Self.exists(argument) {
            steps.append(.ready(.address(argument)))
        } else if !Self.exists(argument), let refusal = OtherAddress.refusal(argument, of: "picture") {
            steps.append(.ready(.failure(argument, refusal)))
        } else if Self.exists(argument) || !Self.isPattern(argument) {
            // A missing file fails when it is opened, with the reason.
            steps.append(.ready(.file(argument)))
        } else if argument.contains("**") {
            openStepCount -= 1
            knownCount += 1
            let reason = "** does not match folders; name the folder, which is read with its subfolders."
            steps.append(.ready(.failure(argument, reason)))
        } else {
            let matches = Self.paths(matching: argument)
            openStepCount -= 1
            if matches.isEmpty {
                knownCount += 1
                steps.append(
                    .ready(.failure(argument, "no file matches the pattern; check the folder and the pattern."))
                )
            }
            let openCount = matches.count(where: Self.canBeSeveral)
            openStepCount += openCount
            knownCount += matches.count - openCount
            steps += matches.reversed().map { .argument($0) }
        }
    }

    /// Puts a folder's pictures and subfolders before all other steps, in the order of their names.
    private mutating func list(_ path: String, nameInFolder: String) -> Input? {
        openStepCount -= 1
        guard let names = Self.names(inFolder: path) else {
            openFolder?.hasPictures = true
            knownCount += 1
            return .failure(path, "the folder cannot be read; check its permissions.")
        }
        for name in names.sorted(by: >) where !name.hasPrefix(".") {
            let child = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
            let childInFolder = nameInFolder.isEmpty ? name : "\(nameInFolder)/\(name)"
            if Self.isFolder(child) {
                // Links to folders are ignored, because they can form circles.
                guard !Self.isLink(child), !isExcluded(child) else { continue }
                steps.append(.folder(path: child, nameInFolder: childInFolder))
                openStepCount += 1
            } else {
                let kind = FileName.withPath(child) { FileKind(ofFileAt: $0, name: name) }
                // A video with the name of a picture fails with that reason.
                if kind == .picture || kind == .video && ImageFormat.isReadable(fileName: name) {
                    steps.append(.ready(.file(child, nameInFolder: keepsPaths ? nil : childInFolder)))
                    knownCount += 1
                } else {
                    openFolder?.skipped.count(kind, fileType: name.fileType)
                }
            }
        }
        return nil
    }

    /// Whether an argument can stand for several pictures.
    static func canBeSeveral(_ argument: String) -> Bool {
        isFolder(argument) || (isPattern(argument) && !exists(argument) && !Input.isAddress(argument))
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return FileName.withPath(path) { stat($0, &status) } == 0
    }

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return FileName.withPath(path) { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private func isExcluded(_ path: String) -> Bool {
        excludedFolders.contains { Self.isSame($0, path) }
    }

    /// Whether two paths lead to the same file or folder.
    static func isSame(_ first: String, _ second: String) -> Bool {
        var (one, two) = (stat(), stat())
        return FileName.withPath(first) { stat($0, &one) } == 0 && FileName.withPath(second) { stat($0, &two) } == 0
            && one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }

    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return FileName.withPath(path) { lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    private static func isPattern(_ argument: String) -> Bool {
        argument.contains { "*?[".contains($0) }
    }

    /// The names in a folder in any order; nil if it cannot be read. Foundation would leave out names that are not UTF-8.
    static func names(inFolder path: String) -> [String]? {
        guard let folder = FileName.withPath(path, { opendir($0) }),
            let place = MemoryLayout<dirent>.offset(of: \dirent.d_name)
        else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            // The name ends with a zero, and lives until the next call.
            let name = FileName.text((UnsafeRawPointer(entry) + place).assumingMemoryBound(to: CChar.self))
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The paths that glob(3) finds, sorted by it.
    private static func paths(matching pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard FileName.withPath(pattern, { glob($0, 0, nil, &found) }) == 0, let paths = found.gl_pathv else {
            return []
        }
        return (0..<Int(found.gl_pathc)).compactMap { index in paths[index].map { FileName.text($0) } }
    }
}
