extension WebhookEvent {
    /// The change in a few words, for forms and for the description of the API.
    package var meaning: String {
        switch self {
        case .modelCreated: "A model was created."
        case .modelPublished: "A model was published: apps can download it."
        case .modelUnpublished: "A model was unpublished."
        case .modelPromoted: "Another version of a model is served."
        case .modelStaged: "A version of a model was staged."
        case .modelDeleted: "A model was deleted."
        case .modelDrifted: "The confidence of a served version moved away from what it was."
        case .rolloutStarted: "A rollout began."
        case .rolloutStepped: "More devices get the version of a rollout."
        case .rolloutHalted: "A guard halted a rollout; all devices return."
        case .rolloutFinished: "All devices get the version of a rollout."
        case .rolloutAborted: "A person ended a rollout; all devices return."
        case .evaluationDone: "An evaluation of a version has a result."
        case .trainingDone: "A training has a model, or failed."
        case .keyNearEnd: "A key ends soon."
        case .quotaNear: "The quota of the project is nearly used."
        }
    }
}
