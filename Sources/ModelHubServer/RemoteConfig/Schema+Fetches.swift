import HTTPServing

/// The schemas of fetched values and live updates.
extension Schema {
    static let configFetch = object("The values for an installation.").fields([
        "state": .choice(
            ["UPDATE", "NO_CHANGE", "EMPTY_CONFIG", "NO_TEMPLATE"],
            "`UPDATE`: `entries` are the values. `NO_CHANGE`: the values of the ETag in `If-None-Match` are current. `EMPTY_CONFIG`: the template has no parameters. `NO_TEMPLATE`: the project has no template."
        ),
        "entries?": .map(
            "The values of the parameters, by key. A parameter with the app's own default is absent.",
            of: .text()
        ),
        "templateVersion?": .decimal("The version of the template."),
        "experimentDescriptions?": .list(
            "The experiments that the installation takes part in.",
            of: .experimentDescription
        ),
        "rolloutMetadata?": .list(
            "The rollouts that the installation is part of.",
            of: .fields([
                "rolloutId": .text(),
                "variantId": .text(),
                "affectedParameterKeys": .list(of: .text()),
            ])
        ),
    ]).named("ConfigFetch")

    static let configFetchInput = object(
        "An app's description of itself. Conditions use these values. Names with underscores, such as `app_instance_id`, are accepted too."
    ).fields([
        "appInstanceId?": .text("The id of the installation. Percentages and experiments depend on it."),
        "appInstanceIdToken?": .text(
            "The token of the installation, if the header `X-Goog-Firebase-Installations-Auth` is absent."
        ),
        "appId?": .text("The id of the app, such as `1:987654321098:android:0123456789abcdef`."),
        "countryCode?": .text("A country such as `AT`."),
        "languageCode?": .text("A language such as `de` or `de-AT`."),
        "appVersion?": .text("The version of the app, such as `2.1.0`."),
        "appBuild?": .text("The build of the app."),
        "packageName?": .text("The name of the app's package."),
        "firstOpenTime?": .text("When the user first opened the app: RFC 3339, or milliseconds since 1970."),
        "analyticsUserProperties?": .map(
            "Properties of the user, by name: at most 100, with keys of 250 and texts of 500 characters.",
            of: .either(["string", "number", "boolean"])
        ),
        "customSignals?": .map(
            "Properties of the app, by name, with the same limits.",
            of: .either(["string", "number", "boolean"])
        ),
    ]).open.named("ConfigFetchInput")

    static let experimentDescription = fields([
        "experimentId": .text("The experiment that the installation takes part in."),
        "variantId": .text("The variant of the installation. Report outcomes with this id."),
        "affectedParameterKeys": .list("The parameters of the experiment.", of: .text()),
        "experimentStartTime": .time("When the experiment started."),
        "timeToLiveMillis": .text("For Firebase Analytics. Ignore it."),
        "triggerTimeoutMillis": .text("For Firebase Analytics. Ignore it."),
    ]).named("ExperimentDescription")

    static let liveUpdate = object("A line of the stream.").fields([
        "latestTemplateVersionNumber": .text("The number of the new template. Fetch the values now.")
    ]).named("LiveUpdate")

    static let liveUpdatesInput = object("An app that waits for templates.").fields([
        "appInstanceId?": .text("The id of the installation."),
        "appInstanceIdToken?": .text("The token of the installation, if the header is absent."),
        "appId?": .text("The id of the app."),
        "lastKnownVersionNumber?": .either(
            ["string", "integer"],
            "The `templateVersion` that the app has; 0 for none."
        ),
    ]).open.named("LiveUpdatesInput")
}
