import HTTPServing

/// The schemas of models and their operations.
extension Schema {
    static let model = object("A model, as in firebaseml v1beta2.").fields([
        "name": .text("`projects/PROJECT/models/ID`."),
        "displayName": .text("The name for clients.", pattern: "^[A-Za-z][A-Za-z0-9_-]{0,31}$"),
        "tags?": .list("Absent if there are no tags.", of: .text()),
        "createTime": .time("When the model was created."),
        "updateTime": .time("When the model was changed last."),
        "etag": .text("Changes with every change of the model."),
        "modelHash?": .text("The SHA-256 of the served file, in hexadecimal."),
        "state": .fields([
            "published": .boolean("Whether apps get the model."),
            "validationError?": .status,
            "warning?": .text("The reason why the hub cannot run the file. The model can still be published."),
        ]),
        "tfliteModel?": .fields([
            "gcsTfliteUri?": .text("The uploaded object that the file came from, `gs://BUCKET/OBJECT`."),
            "automlModel?": .text("A name of a model of AutoML, which the hub stores and does not use."),
            "sizeBytes?": .decimal("The size of the file."),
        ]),
        "@type?": .text("Only in operations."),
    ]).named("Model")

    static let modelPage = fields([
        "models?": .list("Absent if there are no models.", of: .model),
        "nextPageToken?": .nextPageToken,
    ]).named("ModelPage")

    static let modelInput = object("The fields of a model that a caller can write. Other fields are ignored.").fields([
        "displayName?": .text("The name for clients.", pattern: "^[A-Za-z][A-Za-z0-9_-]{0,31}$"),
        "tags?": .list("At most 64 tags.", of: .text(pattern: "^[A-Za-z0-9_-]{1,32}$"), atMost: 64),
        "state?": .fields([
            "published?": .boolean("Whether apps get the model.")
        ]),
        "tfliteModel?": .fields([
            "gcsTfliteUri?": .text("An uploaded object, `gs://BUCKET/OBJECT`."),
            "automlModel?": .text(),
        ]),
    ]).open.named("ModelInput")

    static let operation = object(
        "A change of a model. Exactly one of `response` and `error` is present: check it, because a failed change also has the status 200."
    ).fields([
        "name": .text("`projects/PROJECT/operations/ID`."),
        "done": .boolean("Always true: every change is finished before its response."),
        "metadata?": .fields([
            "@type?": .text(),
            "name?": .text("The name of the model."),
            "basicOperationStatus?": .text(),
        ]),
        "response?": .model.described("The changed model."),
        "error?": .status,
    ]).named("Operation")

    static let operationPage = fields([
        "operations?": .list("Absent if there are no operations.", of: .operation),
        "nextPageToken?": .nextPageToken,
    ]).named("OperationPage")

    static let status = fields([
        "code": .integer("A number of google.rpc.Code."),
        "message": .text("The failure in one sentence."),
    ]).named("Status")
}
