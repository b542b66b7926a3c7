import Foundation
import Sightline
import SightlineMedia

/// The videos of the command line: files, folders with videos, folders of pictures, cameras, addresses, and `-` for standard input.
struct VideoList {
    /// A video of the command line.
    struct Video {
        /// The path, address or device.
        let name: String
        /// A relative path for files that belong to the video: the path below the folder argument, otherwise the path on the
        /// command line.
        let relativePath: String
        /// The pictures that form the video, if the command line names each of them.
        var pictures: [String] = []
        /// The reason why it cannot be read; nil if it can perhaps be read.
        var failure: String?

        /// The name for people, without a possible password.
        var printedName: String {
            StreamAddress.scheme(of: name) == nil ? FileName.printed(name) : StreamAddress.printed(name)
        }
    }

    /// The videos in the order of the arguments; those of a folder in the order of their names.
    private(set) var videos: [Video] = []
    /// Whether there is just one stream, whose results need no folder.
    private(set) var isSingle = true
    /// The number of pictures in folders that have videos.
    private(set) var skippedPictures = 0

    private let excludedFolders: [String]

    /// - Parameters:
    ///   - arguments: the inputs on the command line.
    ///   - excludedFolders: folders that receive results. They may lie in a folder of videos.
    init(_ arguments: [String], excludedFolders: [String]) {
        self.excludedFolders = excludedFolders
        if arguments.count > 1, arguments.allSatisfy(Self.isStillPicture) {
            // As a shell expands frames/*.jpg.
            videos = [Self.video(arguments[0])]
            videos[0].pictures = arguments
            return
        }
        for argument in arguments {
            let (count, pictures) = (videos.count, skippedPictures)
            if InputSequence.isFolder(argument) { list(argument, nameInFolder: "") }
            if videos.count > count {
                isSingle = false
            } else {
                // A folder without videos is a video itself: each picture is a frame.
                skippedPictures = pictures
                videos.append(Self.video(argument))
            }
        }
        if arguments.count > 1 { isSingle = false }
        refuseEqualPaths()
    }

    private static func isStillPicture(_ argument: String) -> Bool {
        ImageFormat.isReadable(fileName: argument) && argument.fileType.lowercased() != "gif"
            && InputSequence.exists(argument) && !InputSequence.isFolder(argument)
    }

    private static func video(_ argument: String) -> Video {
        let isAddress = if case .stream = VideoInput(argument) { true } else { false }
        let isUnread = !isAddress && !InputSequence.exists(argument)
        return Video(
            name: argument,
            relativePath: isAddress ? path(ofAddress: argument) : Input.file(argument).relativePath,
            failure: isUnread ? OtherAddress.refusal(argument, of: "video") : nil
        )
    }

    /// The host, and the parts of the path that cannot be a user and a password, as in `/user=admin&password=…`.
    private static func path(ofAddress address: String) -> String {
        let path = URLComponents(string: address)?.path ?? ""
        let parts = path.split(separator: "/").filter { part in !part.contains { "=&@:".contains($0) } }
        let host = StreamAddress.host(of: address) ?? "stream"
        return Input.file(([host] + parts.map(String.init)).joined(separator: "/")).relativePath
    }

    /// Adds the videos of a folder and its subfolders.
    private mutating func list(_ path: String, nameInFolder: String) {
        for name in (InputSequence.names(inFolder: path) ?? []).sorted() where !name.hasPrefix(".") {
            let child = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
            let childInFolder = nameInFolder.isEmpty ? name : "\(nameInFolder)/\(name)"
            if InputSequence.isFolder(child) {
                // Links to folders are ignored, because they can form circles.
                let isExcluded = excludedFolders.contains { InputSequence.isSame($0, child) }
                if !InputSequence.isLink(child), !isExcluded { list(child, nameInFolder: childInFolder) }
            } else {
                switch FileName.withPath(child, { FileKind(ofFileAt: $0, name: name) }) {
                case .video:
                    let failure = FileName.isUTF8(child) ? nil : "the name is not UTF-8; rename the file."
                    videos.append(Video(name: child, relativePath: FileName.printed(childInFolder), failure: failure))
                case .picture: skippedPictures += 1
                case .otherPicture, .other: break
                }
            }
        }
    }

    /// Refuses videos whose results would overwrite those of another video.
    private mutating func refuseEqualPaths() {
        guard !isSingle else { return }
        var names: [String: String] = [:]
        for index in videos.indices where videos[index].failure == nil {
            let video = videos[index]
            if let first = names.updateValue(video.printedName, forKey: video.relativePath) {
                names[video.relativePath] = first
                videos[index].failure = "its results would have the names of those of \(first); track it alone."
            }
        }
    }
}
