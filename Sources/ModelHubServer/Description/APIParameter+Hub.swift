import HTTPServing

extension APIParameter {
    static let pageSize = query("pageSize", "The largest number of elements, at most 100.", .integer(atLeast: 0))
    static let pageToken = query("pageToken", "`nextPageToken` of the page before.")
    static let uploadID = query("upload_id", "The id of a resumable upload.", isRequired: true)
    static let modelNumber = path("model", "The number of the model: the last part of its `name`.")
    static let userProject = header("X-Goog-User-Project", "The project that a caller with several projects means.")
    static let etag = header("ETag", "Without quotes. Send it in `If-None-Match` the next time.")

    /// The parts of paths by their names. An operation may describe a part in another way.
    static func inPath(_ name: String) -> APIParameter? { partsOfPaths.first { $0.name == name } }

    private static let partsOfPaths = [
        path(
            "project",
            "The id or the number of the project. With a bearer token for a single project, `-` stands for that project."
        ),
        path("model", "The display name or the number of the model."),
        path("version", "The number of the version.", .integer()),
        path("alias", "A lower-case letter, then lower-case letters, digits and hyphens, at most 63 characters."),
        path("operation", "The last part of the operation's name."),
        path("installation", "The `fid` of the installation."),
        path("experiment", "The id of the experiment."),
        path("rollout", "The id of the rollout."),
        path("dataset", "The name of the data set."),
        path("photo", "The `photoId`, or its first characters, at least eight, if no other id begins with them."),
        path("training", "The `trainingId`."),
        path("person", "The address of the person."),
        path("key", "The id of the key, or its first characters, at least four, if no other id begins with them."),
        path(
            "session",
            "The id of the session, or its first characters, at least four, if no other id begins with them."
        ),
        path("bucket", "`PROJECT.appspot.com`, `PROJECT.firebasestorage.app`, or your own name."),
        path("object", "The name of the object. Slashes in it may be escaped or not."),
        path("hash", "The SHA-256 of the file."),
        path("name", "The name of the file."),
    ]
}
