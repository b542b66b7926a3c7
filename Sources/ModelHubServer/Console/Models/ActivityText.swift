/// The words of the audit log on the page of the activity.
enum ActivityText {
    private static let titles = [
        "audit.remove-changes": "Removed the oldest changes", "audit.remove-rights": "Removed the oldest changes",
        "audit.restore": "Restored a backup",
        "config.publish": "Changed Remote Config", "config.rollback": "Rolled back Remote Config",
        "console.end": "Ended a session", "console.link": "Made a link to the console", "console.sign-in": "Signed in",
        "console.sign-out": "Signed out",
        "dataset.add": "Added photos", "dataset.create": "Created a data set", "dataset.delete": "Deleted a data set",
        "dataset.label": "Changed a photo's label", "dataset.remove": "Deleted a photo",
        "evaluation.cancel": "Canceled an evaluation",
        "evaluation.done": "Finished an evaluation",
        "evaluation.delete": "Deleted an evaluation", "evaluation.repeat": "Repeated an evaluation",
        "experiment.expose": "Widened an experiment", "experiment.start": "Started an experiment",
        "experiment.stop": "Stopped an experiment", "key.create": "Created a key",
        "key.nearEnd": "Noticed a key near its end", "key.revoke": "Revoked a key",
        "model.alias": "Changed an alias", "model.card": "Changed the card", "model.create": "Created a model",
        "model.delete": "Deleted a model", "model.evaluate": "Began an evaluation", "model.notes": "Changed notes",
        "model.patch": "Changed a model", "model.promote": "Served a version", "model.sign": "Signed a version",
        "model.threshold": "Set a threshold",
        "model.version": "Added a version", "object.delete": "Deleted an upload", "object.upload": "Uploaded a file",
        "person.grant": "Gave a role", "person.link": "Made a sign-in link", "person.remove": "Removed a role",
        "project.create": "Created a project", "project.delete": "Deleted a project",
        "project.update": "Changed the project", "quota.near": "Noticed a quota near its limit",
        "rollout.abort": "Aborted a rollout",
        "rollout.finish": "Finished a rollout", "rollout.halt": "Halted a rollout",
        "rollout.pause": "Paused a rollout", "rollout.resume": "Resumed a rollout",
        "rollout.start": "Started a rollout", "rollout.step": "Took a rollout's next step",
        "training.cancel": "Canceled a training", "training.done": "Finished a training",
        "training.fail": "Ended a training without a model", "training.start": "Started a training",
        "webhook.create": "Added a webhook",
        "model.drift": "The confidence moved", "webhook.test": "Sent a test event",
        "webhook.remove": "Removed a webhook", "webhook.repeat": "Repeated deliveries of a webhook",
    ]

    /// An action in words; its name in the API if it has no words.
    static func title(of action: String) -> String { titles[action] ?? action }

    /// A text with the beginnings of its hashes and long ids, and with the names of uploads without their folders. The API shows all.
    static func shortened(_ text: String) -> String {
        text.replacing(/\b([0-9a-f]{12})[0-9a-f]{16,}\b/) { "\($0.1)…" }
            .replacing(/gs:\/\/\S*\/([^\s\/]+)/) { "\($0.1)" }
    }
}
