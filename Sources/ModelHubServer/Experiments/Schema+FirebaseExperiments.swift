import HTTPServing

/// The schemas of experiments and rollouts for Firebase's command line.
extension Schema {
    static let firebaseExperiment = object("An experiment, as Firebase's `Experiment`.").fields([
        "name": .text(),
        "definition": .fields([
            "displayName": .text(),
            "service": .text(),
            "description": .text(),
            "objectives": .object("Empty: the hub compares the outcomes that apps report.").fields([
                "activationEvent": .object(),
                "eventObjectives": .list(of: .object()),
            ]),
            "variants": .list(of: .firebaseVariant),
        ]),
        "state": .choice(["RUNNING", "DONE"]),
        "startTime": .time(),
        "endTime?": .time(),
        "lastUpdateTime": .time(),
        "etag": .text(),
    ]).named("FirebaseExperiment")

    static let firebaseExperimentPage = fields([
        "experiments": .list(of: .firebaseExperiment),
        "nextPageToken?": .nextPageToken,
    ]).named("FirebaseExperimentPage")

    static let firebaseRollout = object("A rollout in the newest template, as Firebase's `Rollout`.").fields([
        "name": .text(),
        "definition": .fields([
            "displayName": .text(),
            "service": .text(),
            "description": .text(),
            "controlVariant": .firebaseVariant,
            "enabledVariant": .firebaseVariant,
        ]),
        "state": .choice(["RUNNING"]),
        "lastUpdateTime": .time(),
        "etag": .text(),
    ]).named("FirebaseRollout")

    static let firebaseRolloutPage = fields([
        "rollouts": .list(of: .firebaseRollout),
        "nextPageToken?": .nextPageToken,
    ]).named("FirebaseRolloutPage")

    static let firebaseVariant = fields([
        "name": .text(),
        "weight": .number(),
    ]).named("FirebaseVariant")
}
