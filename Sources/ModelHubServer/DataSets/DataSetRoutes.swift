import HTTPServing
import HTTPTypes
import Hummingbird
import ModelHubProtocol

/// Data sets and their photos: `/hub/v1/projects/{project}/datasets`.
struct DataSetRoutes {
    let hub: Hub
    /// The largest number of doubtful photos.
    private static let doubtfulCount = 12

    func add(to routes: inout RouteTable) {
        let dataSets = "hub/v1/projects/{project}/datasets"
        let dataSet = "\(dataSets)/{dataset}"
        routes.on(.get, at: dataSets, for: .viewer, use: list) {
            APIOperation(.dataSets, "listDataSets", "List data sets").answers("The data sets.", .dataSetList)
        }
        routes.on(.post, at: dataSets, for: .publisher, use: create) {
            APIOperation(.dataSets, "createDataSet", "Create a data set")
                .takes(.dataSetInput)
                .answers("The data set.", .dataSet)
        }
        routes.on(.get, at: dataSet, for: .viewer, use: get) {
            APIOperation(.dataSets, "getDataSet", "Get a data set").answers("The data set.", .dataSet)
        }
        routes.on(.delete, at: dataSet, for: .editor, use: delete) {
            APIOperation(.dataSets, "deleteDataSet", "Delete a data set with its photos for good")
                .explained("The files of its photos are gone with the answer. Models that were trained on them stay.")
                .answers("It is deleted.", .empty)
        }
        addPhotos(at: "\(dataSet)/photos", to: &routes)
    }

    private func addPhotos(at photos: String, to routes: inout RouteTable) {
        addBoxes(at: "\(photos)/{photo}", to: &routes)
        routes.on(.get, at: photos, for: .viewer, use: listPhotos) {
            APIOperation(.dataSets, "listPhotos", "List the photos of a data set")
                .parameters(
                    .query(
                        "label",
                        "Photos with this label, or with a box of it; those without a label and drawn boxes if it is empty."
                    ),
                    .query(
                        "doubtful",
                        "`true` for the most doubtful photos of the last training, at most twelve, by doubt.",
                        .boolean()
                    ),
                    .pageSize,
                    .pageToken
                )
                .answers("The photos, in the order of their arrival.", .photoList)
        }
        routes.on(.post, at: photos, for: .publisher, use: addPhotos) {
            APIOperation(.dataSets, "addPhotos", "Add a photo, or a zip archive of photos")
                .explained(
                    "An archive has a folder of photos for each label, or photos with annotations in COCO's format, whose boxes are kept, or a CSV file. It has at most 1 GiB, a photo at most 20 MB and 100 megapixels, and a data set at most 10,000 photos. Up to 500 photos are added all or not at all."
                )
                .parameters(
                    .query("label", "The label of all photos, instead of those of the archive."),
                    .query("name", "The name of the file.")
                )
                .takes(["application/octet-stream": .bytes])
                .answers("The outcome.", .addedPhotos)
        }
        routes.on(.patch, at: "\(photos)/{photo}", for: .publisher, use: setLabel) {
            APIOperation(.dataSets, "setPhotoLabel", "Change the label of a photo")
                .takes(.photoLabel)
                .answers("The photo.", .photo)
        }
        routes.on(.delete, at: "\(photos)/{photo}", for: .publisher, use: deletePhoto) {
            APIOperation(.dataSets, "deletePhoto", "Delete a photo for good").answers("It is deleted.", .empty)
        }
        routes.on(.get, at: "\(photos)/{photo}/content", for: .viewer, use: content) {
            APIOperation(.dataSets, "getPhotoContent", "Get the file of a photo")
                .answers("The file, as it was added.", ["application/octet-stream": .bytes])
        }
    }

    private func addBoxes(at photo: String, to routes: inout RouteTable) {
        routes.on(.get, at: photo, for: .viewer, use: getPhoto) {
            APIOperation(.dataSets, "getPhoto", "Get a photo with its label and boxes").answers("The photo.", .photo)
        }
        routes.on(.put, at: "\(photo)/boxes", for: .publisher, use: setBoxes) {
            APIOperation(.dataSets, "setPhotoBoxes", "Change the boxes of a photo")
                .explained(
                    "The boxes replace those of the photo, and its proposals. An empty list means that none of the things is in the photo; without a list, the photo is as if nobody had drawn boxes. Boxes are cut at the edges of the photo; those outside of it are left out."
                )
                .takes(.photoBoxes)
                .answers("The photo.", .photo)
        }
        routes.on(.post, at: "\(photo):propose", for: .publisher, use: propose) {
            APIOperation(.dataSets, "proposePhotoBoxes", "Propose boxes of a photo")
                .explained(
                    "The built-in detector looks at the photo in a sandbox. Its proposals are stored with the photo, and nothing is learned from them. A photo with drawn boxes stays as it is."
                )
                .answers("The photo.", .photo)
        }
    }

    @Sendable
    private func getPhoto(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let dataSet = try await hub.dataSet(request["dataset"], of: caller)
        return try await answer(try await photo(request, of: dataSet), of: dataSet)
    }

    @Sendable
    private func setBoxes(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let dataSet = try await hub.dataSet(request["dataset"], of: caller)
        let hash = try await photo(request, of: dataSet)
        _ = try await hub.setBoxes(try await request.json(PhotoBoxes.self).boxes, of: hash, in: dataSet, by: caller)
        return try await answer(hash, of: dataSet)
    }

    @Sendable
    private func propose(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let dataSet = try await hub.dataSet(request["dataset"], of: caller)
        let hash = try await photo(request, of: dataSet)
        return try .json(PhotoResource(try await hub.proposeBoxes(of: hash, in: dataSet, by: caller)))
    }

    private func answer(_ hash: BlobHash, of dataSet: DataSet) async throws -> Response {
        guard let photo = try await hub.records.photo(hash, ofDataSet: dataSet.id) else {
            throw Hub.noSuchPhoto(dataSet)
        }
        return try .json(PhotoResource(photo))
    }

    @Sendable
    private func list(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        var found: [DataSetResource] = []
        for dataSet in try await hub.records.dataSets(of: caller.project.id) {
            found.append(DataSetResource(dataSet, try await hub.records.counts(ofDataSet: dataSet.id)))
        }
        return try .json(DataSetList(dataSets: found))
    }

    @Sendable
    private func create(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let name = try await request.json(DataSetInput.self).name
        return try .json(DataSetResource(try await hub.createDataSet(name, by: caller), DataSetCounts()))
    }

    @Sendable
    private func get(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let dataSet = try await hub.dataSet(request["dataset"], of: caller)
        return try .json(DataSetResource(dataSet, try await hub.records.counts(ofDataSet: dataSet.id)))
    }

    @Sendable
    private func delete(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try await hub.deleteDataSet(try await hub.dataSet(request["dataset"], of: caller), by: caller)
        return .json(text: "{}")
    }

    @Sendable
    private func listPhotos(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let dataSet = try await hub.dataSet(request["dataset"], of: caller)
        var (limit, token) = (try request.pageSize, try request.pageToken)
        guard let last = token.isEmpty ? 0 : Int64(token) else { throw HubError.invalidArgument }
        let filter: PhotoFilter =
            if request.query["doubtful"] == "true" { .doubtful } else if let label = request.query["label"] {
                label.isEmpty ? .unlabeled : .label(label)
            } else { .all }
        // These are a single page, since they do not come in the order of their numbers.
        if filter == .doubtful { (limit, token) = (Self.doubtfulCount, "") }
        let found = try await hub.records.photos(
            ofDataSet: dataSet.id,
            filter,
            after: token.isEmpty ? 0 : last,
            limit: limit + 1
        )
        let page = ListPage(found, limit: limit) { "\($0.id)" }
        return try .json(
            PhotoList(photos: page.elements.map { PhotoResource($0) }, nextPageToken: page.nextToken)
        )
    }

    /// Receives a file and adds its photos.
    @Sendable
    private func addPhotos(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let dataSet = try await hub.dataSet(request["dataset"], of: caller)
        try request.checkLength(Hub.maximumArchiveSize)
        try await hub.noteUsage(of: caller.project.id)
        try hub.ledger.check(request.headers[.contentLength].flatMap { Int($0) } ?? 0, of: caller.project.id)
        let staged = try hub.stage(for: caller.project, limit: Hub.maximumArchiveSize)
        var pace = UploadPace()
        for try await piece in request.body {
            try pace.check(adding: piece.readableBytes)
            try staged.append(piece)
        }
        let name = request.query["name"].map { String($0.filter { !$0.isNewline && $0 != "\0" }.prefix(200)) } ?? ""
        let added = try await hub.addPhotos(
            staged,
            named: name.isEmpty ? "the upload" : name,
            label: request.query["label"],
            to: dataSet,
            by: caller
        )
        return try .json(added)
    }

    private func photo(_ request: APIRequest, of dataSet: DataSet) async throws -> BlobHash {
        if let hash = BlobHash(request["photo"]) { return hash }
        guard let hash = try await hub.records.photoHash(beginning: request["photo"], ofDataSet: dataSet.id) else {
            throw Hub.noSuchPhoto(dataSet)
        }
        return hash
    }

    @Sendable
    private func setLabel(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let dataSet = try await hub.dataSet(request["dataset"], of: caller)
        let hash = try await photo(request, of: dataSet)
        try await hub.setLabel(try await request.json(PhotoLabel.self).label, of: hash, in: dataSet, by: caller)
        return try await answer(hash, of: dataSet)
    }

    @Sendable
    private func deletePhoto(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let dataSet = try await hub.dataSet(request["dataset"], of: caller)
        try await hub.deletePhoto(try await photo(request, of: dataSet), of: dataSet, by: caller)
        return .json(text: "{}")
    }

    @Sendable
    private func content(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let dataSet = try await hub.dataSet(request["dataset"], of: caller)
        let file = try await hub.openPhoto(try await photo(request, of: dataSet), of: dataSet)
        let headers: HTTPFields = [
            .contentType: "application/octet-stream", .contentDisposition: "attachment",
            .cacheControl: "private, no-store",
        ]
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody(contentLength: file.byteCount) { writer in
                for try await piece in file.bytes { try await writer.write(piece) }
                try await writer.finish(nil)
            }
        )
    }
}
