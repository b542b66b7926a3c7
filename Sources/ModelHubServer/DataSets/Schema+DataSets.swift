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
        "unlabeledCount": .integer(
            "The number of photos without a label and without drawn boxes, from which nothing is learned."
        ),
        "boxLabels": .list(
            "The labels of boxes, by name.",
            of: .fields(["label": .text(), "boxCount": .integer()])
        ),
        "boxedCount": .integer("The number of photos whose boxes are drawn."),
    ]).named("DataSet")

    static let dataSetList = fields(["dataSets": .list("By name.", of: dataSet)]).named("DataSetList")

    static let photoBox = object("A box in a photo, in pixels of the upright photo.").fields([
        "label": .text("The label of the thing; empty for a proposal without one."),
        "x": .number("The left edge."),
        "y": .number("The upper edge."),
        "width": .number(),
        "height": .number(),
        "isGroup?": .boolean("Whether it is around a group of things, in which nothing is learned or measured."),
        "confidence?": .number("That of a proposal.", atLeast: 0, atMost: 1),
    ]).named("PhotoBox")

    static let photoBoxes = object("The boxes of a photo.").fields([
        "boxes?": .list("Absent as if nobody had drawn them.", of: photoBox, atMost: PhotoLine.maximumBoxes)
    ]).named("PhotoBoxes")

    static let photo = object("A photo of a data set.").fields([
        "photoId": .text("The SHA-256 of its file."),
        "name": .text("The name of the file, or its path in the archive."),
        "label?": .text("Absent if the photo has none."),
        "boxes?": .list(
            "Absent if nobody has drawn them yet. An empty list means that none of the things is in the photo.",
            of: photoBox
        ),
        "proposals?": .list(
            "Boxes that nobody has accepted yet, by the built-in detector or the last training. Nothing is learned from them.",
            of: photoBox
        ),
        "width": .integer("In pixels, upright."),
        "height": .integer(),
        "sizeBytes": .decimal(),
        "createTime": .time(),
        "doubt?": object(
            "If it is one of the twelve most doubtful photos of the last training, and its label or boxes are those of that time."
        )
        .fields([
            "answer": .text(
                "The other label that it most probably has. Of boxes, what the model finds differently, in words."
            ),
            "confidence": .number(
                "The probability of that label, or the confidence of what has no box.",
                atLeast: 0,
                atMost: 1
            ),
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
        "leftOutBoxCount": .integer("The number of boxes that lie outside of their photos, or have no area."),
        "unlabeledCount": .integer("The number of new photos without a label and without boxes."),
    ]).named("AddedPhotos")
}
