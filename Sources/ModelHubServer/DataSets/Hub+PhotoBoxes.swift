import Foundation
import ModelHubProtocol
import Synchronization

/// A line of a process that shows a photo, `sightline-hub show-photo`.
package struct ShownPhoto: Codable, Sendable {
    /// The photo, upright and made smaller.
    package var jpeg: Data
    /// The boxes that the built-in detector proposes; nil if it was not asked.
    package var proposals: [PhotoBox]?

    /// Creates a line.
    package init(jpeg: Data) { self.jpeg = jpeg }

    /// The longer side of the picture in pixels.
    package static let maximumSide = 1600
    /// The largest line in bytes.
    static let maximumBytes = 8 << 20
}

/// The boxes of photos.
extension Hub {
    private static let showTimeout = Duration.seconds(30)

    /// Gives a photo other boxes; nil as if nobody had drawn them.
    ///
    /// - Returns: The number of boxes that lie outside of the photo or have no area, which are left out.
    func setBoxes(
        _ boxes: [PhotoBox]?,
        of hash: BlobHash,
        in dataSet: DataSet,
        by caller: Caller
    ) async throws -> Int {
        try caller.require(.publisher)
        guard let photo = try await records.photo(hash, ofDataSet: dataSet.id) else {
            throw Self.noSuchPhoto(dataSet)
        }
        let checked = try boxes.map { try DataSet.boxes($0, inPhotoOf: (photo.width, photo.height)) }
        let entry = audit(
            caller,
            "dataset.boxes",
            "\(dataSet.resourceName)/photos/\(hash)",
            checked.map { "\($0.boxes.count) boxes" } ?? "not drawn"
        )
        guard try await records.setBoxes(checked?.boxes, of: hash, in: dataSet, audit: entry) else {
            throw Self.noSuchPhoto(dataSet)
        }
        return checked?.leftOut ?? 0
    }

    /// The photo for a page, made by a separate process. Where nobody has drawn boxes yet, that proposes some, which are stored.
    ///
    /// - Throws: `.invalidArgument` if the photo takes too much time or memory.
    @discardableResult
    func showPhoto(_ photo: Photo, of dataSet: DataSet) async throws -> ShownPhoto {
        guard let worker = options.evaluator else {
            throw HubError(.unimplemented, "This hub cannot show photos; serve it with `sightline hub serve`.")
        }
        let proposes = photo.boxes == nil && photo.proposals == nil
        let file = try await openPhoto(photo.hash, of: dataSet)
        let output = Mutex(Data())
        let ending = try await photoShowing.run(as: dataSet.project) {
            try await withPath(of: file) { path in
                let process = WorkerProcess(worker, ["show-photo", path] + (proposes ? ["--propose"] : []))
                return await process.run(timeout: Self.showTimeout) { piece in
                    output.withLock { output in
                        output += piece
                        return output.count <= ShownPhoto.maximumBytes
                    }
                }
            }
        }
        if case .stopped = ending { throw CancellationError() }
        if case .notStarted(let reason) = ending {
            throw HubError(.internal, "The photo cannot be shown (\(reason)); install the hub again.")
        }
        let line = output.withLock { $0 }
        guard case .finished(status: 0) = ending, var shown = try? JSONDecoder().decode(ShownPhoto.self, from: line),
            shown.jpeg.starts(with: [0xFF, 0xD8, 0xFF])
        else {
            throw HubError(
                .invalidArgument,
                "\(photo.name) takes too much time or memory to show; make the photo smaller."
            )
        }
        if let proposals = shown.proposals {
            let usable = proposals.prefix(PhotoLine.maximumProposals).compactMap { box -> PhotoBox? in
                var clipped = box.clipped(toWidth: photo.width, height: photo.height)
                clipped?.label = ""
                clipped?.isGroup = nil
                clipped?.confidence = min(max(box.confidence ?? 0, 0), 1)
                return clipped
            }
            shown.proposals = usable
            try await records.setProposals(usable, of: photo.hash, in: dataSet)
        }
        return shown
    }

    /// The photo with proposals of the built-in detector, where nobody has drawn boxes yet.
    func proposeBoxes(of hash: BlobHash, in dataSet: DataSet, by caller: Caller) async throws -> Photo {
        try caller.require(.publisher)
        guard let photo = try await records.photo(hash, ofDataSet: dataSet.id) else {
            throw Self.noSuchPhoto(dataSet)
        }
        guard photo.boxes == nil, photo.proposals == nil else { return photo }
        try await showPhoto(photo, of: dataSet)
        return try await records.photo(hash, ofDataSet: dataSet.id) ?? photo
    }
}
