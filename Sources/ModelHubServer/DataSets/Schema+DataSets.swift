import HTTPServing

/// The schemas of data sets.
extension Schema {
    static let dataSetInput = object("A new data set.").fields([
        "name": .text("Up to 32 letters, digits, underscores and hyphens, beginning with a letter.")
    ]).named("DataSetInput")

    static let dataSet = object("Photos with labels, from which the hub trains models.").fields([
        "name": .text(),
        "actor": .text("Who created it."),
        "createTime": .time(),
        "photoCount": .integer(),
        "sizeBytes": .decimal("The size of all photos."),
        "labels": .list("By name.", of: .fields(["label": .text(), "photoCount": .integer()])),
        "unlabeledCount": .integer("The number of photos without a label, from which nothing is learned."),
    ]).named("DataSet")

    static let dataSetList = fields(["dataSets": .list("By name.", of: dataSet)]).named("DataSetList")

    static let photo = object("A photo of a data set.").fields([
        "photoId": .text("The SHA-256 of its file."),
        "name": .text("The name of the file, or its path in the archive."),
        "label?": .text("Absent if the photo has none."),
        "width": .integer("In pixels, upright."),
        "height": .integer(),
        "sizeBytes": .decimal(),
        "createTime": .time(),
        "doubt?": object(
            "If it is one of the twelve most doubtful photos of the last training and has its label since."
        )
        .fields([
            "answer": .text("The other label that it most probably has."),
            "confidence": .number("The probability of that label.", atLeast: 0, atMost: 1),
        ]),
    ]).named("Photo")

    static let photoList = fields(["photos": .list(of: photo), "nextPageToken?": nextPageToken]).named("PhotoList")

    static let photoLabel = object("A label of a photo.").fields([
        "label": .either(["string", "null"], "At most 100 characters in one line; null for none.")
    ]).named("PhotoLabel")

    static let addedPhotos = object("The outcome of adding photos.").fields([
        "addedCount": .integer(),
        "knownCount": .integer("The number of photos that the data set already had; they keep their labels."),
        "skippedCount": .integer("The number of files that are not among the photos."),
        "skipped": .list("The first hundred of them.", of: .fields(["path": .text(), "reason": .text()])),
    ]).named("AddedPhotos")
}
