import HTTPServing

/// The description of our own API.
extension APIOperation {
    private static let tag = "Sightline"

    static var detect: APIOperation {
        APIOperation(tag: tag, "detect", "Find objects in a picture")
            .explained(
                "The body is a picture file, a form in multipart/form-data with one or more files, or the address of a picture. The answer "
                    + "to a form is a list, in which a picture that failed has an `error`."
            )
            .parameters(
                .model,
                .threshold,
                .classificationThreshold,
                .iouThreshold,
                .agnosticNMS,
                .maxObjects,
                .maxLabels
            )
            .parameters(.single, .allow, .deny, .roi, .fit, .key)
            .takes(bodies)
            .answers("The objects.", .either(.foundObjects, orListOf: .failedPicture))
    }

    static var label: APIOperation {
        APIOperation(tag: tag, "label", "Label a picture")
            .explained("The body is as for `/v1/detect`.")
            .parameters(.model, .threshold, .maxLabels, .allow, .deny, .roi, .fit, .key)
            .takes(bodies)
            .answers("The labels.", .either(.foundLabels, orListOf: .failedPicture))
    }

    static var annotate: APIOperation {
        APIOperation(tag: tag, "annotate", "Draw the objects in a picture on it")
            .explained("`Accept` chooses the format: `image/jpeg` or `image/png`.")
            .parameters(.model, .draw, .threshold, .classificationThreshold, .iouThreshold, .agnosticNMS, .maxObjects)
            .parameters(.maxLabels, .single, .allow, .deny, .roi, .fit, .key)
            .takes(bodies)
            .answers(
                "The picture, upright.",
                ["image/jpeg": .bytes, "image/png": .bytes],
                headers: .header("X-Sightline-Model", "The name of the model."),
                .header("X-Sightline-Version", "The version of the model."),
                .header(
                    "X-Sightline-Receipt",
                    "For scores of the answer, while a hub rolls a version of the model out."
                )
            )
    }

    static var addOutcome: APIOperation {
        APIOperation(tag: tag, "addOutcome", "Score an answer")
            .explained(
                "While a hub rolls a version of a model out, answers have a `receipt`: the hub compares the scores of both versions, as "
                    + "`score:NAME` in the guards of the rollout. Higher scores are better. A receipt is good for scores once, as long as the "
                    + "server runs and for its latest \(Receipts.usualLimit) such answers."
            )
            .takes([
                "application/json": .fields([
                    "receipt": .text("The receipt of the answer."), "scores": .map(of: .number()),
                ])
            ])
            .answers("The scores are recorded.", .fields([:]))
    }

    static var models: APIOperation {
        APIOperation(tag: tag, "listModels", "List the models")
            .answers("The models.", .fields(["models": .list(of: .servedModel)]))
    }

    private static let bodies: Contents = [
        "image/*": .bytes,
        "multipart/form-data": .object("Files of pictures, under any names, and options as fields.").open,
        "application/json": .fields(["url": .text("The address of the picture, on a host that the server allows.")]),
    ]
}

extension APIParameter {
    fileprivate static let key = header(
        "X-Sightline-Key",
        "A user or a device, of any text. While a hub rolls a version out, requests with the same key get the same version; without a key, "
            + "those of the same address do."
    )
    fileprivate static let model = query("model", "The name of a model; by default the first that fits.")
    fileprivate static let threshold = query(
        "threshold",
        "Drop results below this confidence, 0 to 1. Repeat it for single labels: `threshold=0.4&threshold=person=0.6`."
    )
    fileprivate static let classificationThreshold = query(
        "classification-threshold",
        "Drop labels of objects below this confidence, as for `threshold`."
    )
    fileprivate static let iouThreshold = query(
        "iou-threshold",
        "Of boxes of one class that overlap by more than this, keep only the best, 0 to 1.",
        .number()
    )
    fileprivate static let agnosticNMS = query(
        "agnostic-nms",
        "Boxes of different classes that overlap also count as one object.",
        .boolean()
    )
    fileprivate static let maxObjects = query("max-objects", "At most this many objects.", .integer(atLeast: 1))
    fileprivate static let maxLabels = query("max-labels", "At most this many labels.", .integer(atLeast: 1))
    fileprivate static let single = query("single", "Only the most prominent object.", .boolean())
    fileprivate static let allow = query("allow", "Only these labels, separated by commas; may be repeated.")
    fileprivate static let deny = query("deny", "Never these labels, separated by commas; may be repeated.")
    fileprivate static let roi = query(
        "roi",
        "Use only this part: `x,y,width,height` in pixels of the upright picture."
    )
    fileprivate static let fit = query(
        "fit",
        "How to fit the picture into the model's input.",
        .choice(["stretch", "crop"])
    )
    fileprivate static let draw = query(
        "draw",
        "What is drawn, separated by commas: `box,point,label` by default, or `blur`."
    )
}

extension Schema {
    private static let confidence = number("From 0 to 1.")

    private static let receipt = text("For scores of the answer, while a hub rolls a version of the model out.")

    private static let frame = object("Pixels of the upright picture: origin top left, x to the right, y down.").fields(
        [
            "x": .number(), "y": .number(), "width": .number(), "height": .number(),
        ]).named("Frame")

    private static let label = fields([
        "text": .text("The name; empty if the model has no labels."), "index": .integer(), "confidence": confidence,
    ]).named("Label")

    private static let point = fields([
        "name": .text(
            "For faces `rightEye`, `leftEye`, `noseTip`, `mouthCenter`, `rightEarTragion` or `leftEarTragion`."
        ),
        "x": .number(), "y": .number(), "confidence?": confidence,
    ]).named("Point")

    private static let milliseconds = fields([
        "decoding": .number(), "preprocessing": .number(), "inference": .number(), "postprocessing": .number(),
        "total": .number(),
    ]).named("Milliseconds")

    fileprivate static let foundObjects = object("The objects in a picture, the most confident first.").fields([
        "image": .text("The file's name in a form, the picture's address, or `picture`."), "model": .text(),
        "version": .text(), "receipt?": receipt,
        "width": .integer("Of the upright picture."), "height": .integer(),
        "objects": .list(
            of: .fields([
                "frame": frame, "confidence": confidence, "objectConfidence?": confidence, "classIndex?": .integer(),
                "labels": .list(of: label), "points?": .list(of: point),
            ]).named("Object")
        ),
        "omitted?": .integer("The number of further objects, beyond `max-objects`."),
        "unnamed?": .integer(
            "The number of further objects that `allow` left out because they have no name, or only a group's."
        ), "milliseconds": milliseconds,
    ]).named("Objects")

    fileprivate static let foundLabels = object("The labels of a picture, the most confident first.").fields([
        "image": .text(), "model": .text(), "version": .text(), "receipt?": receipt, "width": .integer(),
        "height": .integer(),
        "labels": .list(of: label), "milliseconds": milliseconds,
    ]).named("Labels")

    fileprivate static let failedPicture = fields([
        "image": .text(), "error": .text("The failure and the next step, in one sentence."),
    ]).named("FailedPicture")

    private static let tensor = fields([
        "name": .text(), "shape": .list(of: .integer("−1 for an open extent.")), "type": .text(),
    ]).named("Tensor")

    fileprivate static let servedModel = fields([
        "name": .text(), "source": .text("`built-in`, a path or name, or `hub:NAME@ALIAS`."),
        "kind?": .choice(["detection", "labeling"]),
        "version?": .text("The first 12 digits of the SHA-256. Absent while a hub's model is not downloaded yet."),
        "sha256?": .text(), "labels?": .list(of: .text()), "inputs?": .list(of: tensor), "outputs?": .list(of: tensor),
        "problem?": .text("Why the newest version of a hub's model is not in use."),
    ]).named("Model")

    /// A picture's results, or a list of them and of pictures that failed.
    fileprivate static func either(_ result: Schema, orListOf failure: Schema) -> Schema {
        anyOf([result, list(of: anyOf([result, failure]))])
    }
}
