import DurableFiles
import Foundation
import SightlineEvents

/// The files and destinations to which the cameras of a file write.
extension WatchPlan {
    /// The destinations of the events of all cameras. A file that several cameras name is one destination, also if they spell it differently.
    ///
    /// - Throws: `EventError`, for example if a file with a secret cannot be read.
    func eventPlaces() throws(EventError) -> [EventPlace] {
        var files: [(identity: String, path: String, cameras: Set<String>?)] = []
        func add(_ path: String, _ cameras: Set<String>?) {
            let identity = OutputOwners.identity(of: path) ?? path
            guard let index = files.firstIndex(where: { $0.identity == identity }) else {
                return files.append((identity, path, cameras))
            }
            guard let known = files[index].cameras, let cameras else { return files[index].cameras = nil }
            files[index].cameras = known.union(cameras)
        }
        if let path = file.events { add(path, nil) }
        for camera in cameras {
            if let path = camera.settings.track.events { add(path, [camera.settings.name]) }
        }
        return files.map { _, path, cameras in
            let digest = SHA256.hexadecimalDigest(of: Data(path.utf8))
            return EventPlace(
                name: path,
                identity: ["file", path],
                folder: file.delivery.folder("file-\(digest.prefix(16))"),
                cameras: cameras,
                transport: FileTransport(URL(filePath: path))
            )
        } + (try file.delivery.places())
    }
}

extension WatchFile {
    /// The outputs that would write over each other, or over an input. A file of events and a folder of pictures may serve several cameras,
    /// whose names they contain; a file of counts serves one.
    ///
    /// - Parameter path: the path of this file.
    func outputProblems(path: String) -> [Problem] {
        var problems: [Problem] = []
        var owners = OutputOwners()
        owners.take(path, for: "this file")
        for camera in cameras {
            for input in camera.track.inputs { owners.take(input, for: "the input of the camera \(camera.name)") }
        }
        if let events { take(events, "events", ofEvents: true, at: 1) }
        if let metrics { take(metrics, "metrics", at: 1) }
        for camera in cameras {
            if let events = camera.track.events { take(events, "events", ofEvents: true, at: camera.line) }
            if let counts = camera.track.counts { take(counts, "counts", of: camera, at: camera.line) }
        }
        if delivery.queue != nil, !delivery.isUsed, events == nil, cameras.allSatisfy({ $0.track.events == nil }) {
            problems.append(
                Problem(line: 1, text: "The entry queue belongs to mqtt, webhook and events; add one of them.")
            )
        }
        return problems

        func take(_ path: String, _ entry: String, ofEvents: Bool = false, of camera: Camera? = nil, at line: Int) {
            let owner =
                ofEvents
                ? "the file of events" : camera.map { "the \(entry) of the camera \($0.name)" } ?? "the \(entry)"
            if let other = owners.owner(of: path), !ofEvents || other != owner {
                let name = camera.map { "The \(entry) of the camera \($0.name)" } ?? "The entry \(entry)"
                let advice = camera.map { ", for example counts: \($0.name).csv" } ?? ""
                problems.append(
                    Problem(
                        line: line,
                        text:
                            "\(name) would overwrite \(other), \(FileName.printed(path)); name a separate file\(advice)."
                    )
                )
            } else {
                owners.take(path, for: owner)
            }
        }
    }
}
