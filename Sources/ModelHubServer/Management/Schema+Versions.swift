import HTTPServing
import ModelHubProtocol

/// The schemas of the versions of models.
extension Schema {
    static let modelDetails = object("A model with its versions.").fields([
        "model": .model,
        "card": .modelCard,
        "servedVersion?": .integer("The version that apps get."),
        "confidenceThreshold?": .number("The threshold of the served version.", atLeast: 0, atMost: 1),
        "aliases": .map("The version of each alias. `production` is the served version.", of: .integer()),
        "versions": .list("Newest first.", of: .modelVersion),
        "nextPageToken?": .nextPageToken,
    ]).named("ModelDetails")

    static let modelCard = object("Information about a model for people. An empty text means that there is none.")
        .fields([
            "description": .text(),
            "license": .text(),
            "author": .text(),
        ]).named("ModelCard")

    static let modelCardChange = object(
        "New texts of a model's card. An absent text stays; an empty text removes the old text."
    ).fields([
        "description?": .text(atMost: ModelRules.longText),
        "license?": .text(atMost: ModelRules.shortText),
        "author?": .text(atMost: ModelRules.shortText),
    ]).named("ModelCardChange")

    static let modelVersion = fields([
        "version": .integer("The number of the version.", atLeast: 1),
        "modelHash": .text("The SHA-256 of the file, in hexadecimal."),
        "sizeBytes": .decimal("The size of the file."),
        "modelFormat?": .choice(
            HostedFormat.allCases.map(\.rawValue),
            "The format of the file. Clients get ONNX only if they send X-Sightline-Formats. Absent while the file cannot be read."
        ),
        "createTime": .time("When the version was added."),
        "gcsTfliteUri": .text("The uploaded object that the file came from."),
        "actor?": .text("The caller that added the version."),
        "confidenceThreshold?": .number("The threshold that clients get with the version.", atLeast: 0, atMost: 1),
        "notes?": .text("Information about the version for people. Absent if there are no notes."),
        "warning?": .text("The reason why the hub cannot run the file."),
        "downloads": .integer("The number of downloads."),
        "inspection": .object("The hub's findings about the file: its inputs, outputs, labels and use.").open,
    ]).named("ModelVersion")

    static let newVersion = fields([
        "gcsTfliteUri": .text("An uploaded object, `gs://BUCKET/OBJECT`.")
    ]).named("NewVersion")

    static let addedVersion = fields([
        "version": .integer("The number of the version."),
        "isKnown": .boolean("Whether the model already had a version with the same bytes."),
    ]).named("AddedVersion")

    static let versionChange = fields([
        "confidenceThreshold": .either(
            ["number", "null"],
            "Clients drop results below this confidence; null removes the threshold.",
            atLeast: 0,
            atMost: 1
        )
    ]).named("VersionChange")

    static let versionChoice = object("A version; absent for the staged version.").fields([
        "version?": .integer("The number of a version.")
    ]).named("VersionChoice")

    static let versionNotes = fields([
        "notes": .text("The new notes; an empty text removes the old notes.", atMost: ModelRules.longText)
    ]).named("VersionNotes")
}
