import HTTPServing

/// The schemas of templates.
extension Schema {
    static let configTemplate = object("A template, as Firebase's `RemoteConfig`. Empty fields are absent.").fields([
        "conditions?": .list(
            "The first condition that is true and has a value for a parameter applies.",
            of: .configCondition
        ),
        "parameters?": .map("The parameters by key.", of: .configParameter),
        "parameterGroups?": .map(
            "Groups of parameters, by name.",
            of: .fields([
                "description?": .text(),
                "parameters?": .map(of: .configParameter),
            ])
        ),
        "version?": .configVersion,
    ]).named("ConfigTemplate")

    static let configTemplateInput = object("A template to publish. Unknown fields are an error.").fields([
        "conditions?": .list(of: .configCondition),
        "parameters?": .map(of: .configParameter),
        "parameterGroups?": .map(
            of: .fields([
                "description?": .text(),
                "parameters?": .map(of: .configParameter),
            ]).closed
        ),
        "version?": .fields([
            "description?": .text("The purpose of the change.")
        ]).open,
        "etag?": .text("Ignored."),
    ]).closed.named("ConfigTemplateInput")

    static let configCondition = fields([
        "name": .text(),
        "expression": .text("Firebase's language, such as `percent <= 10 && device.os == 'ios'`."),
        "tagColor?": .choice(ConfigTemplate.tagColors, "A color for consoles."),
    ]).closed.named("ConfigCondition")

    static let configParameter = fields([
        "defaultValue?": .configValue,
        "conditionalValues?": .map("The values by the names of conditions.", of: .configValue),
        "description?": .text("The purpose of the parameter."),
        "valueType?": .choice(ConfigTemplate.valueTypes, "The type of the values."),
    ]).closed.named("ConfigParameter")

    static let configValue = object("A value: exactly one of the fields.").fields([
        "value?": .text("A text."),
        "useInAppDefault?": .mark("The app's own default: the parameter is not sent."),
        "rolloutValue?": .object("A text for a growing part of the installations.").fields([
            "rolloutId": .text(),
            "value": .text(),
            "percent": .number(atLeast: 0, atMost: 100),
        ]),
        "experimentValue?": .object(
            "The values of an experiment. Start and stop experiments with their own operations."
        ).fields([
            "experimentId": .text(),
            "exposurePercent?": .number(
                "The exposure of the running experiment, which may be left out.",
                atLeast: 0,
                atMost: 100
            ),
            "variantValue": .list(
                of: .fields([
                    "variantId": .text(),
                    "value?": .text(),
                    "noChange?": .mark(),
                ])
            ),
        ]),
        "personalizationValue?": .object("Stored and ignored.").fields([
            "personalizationId": .text()
        ]),
    ]).closed.named("ConfigValue")

    static let configVersion = object("A version. A template that was only checked has at most a description.").fields([
        "versionNumber?": .decimal(),
        "updateTime?": .time("When the version was published."),
        "updateUser?": .fields([
            "email": .text("The caller that published the version.")
        ]),
        "updateOrigin?": .text(),
        "updateType?": .text(),
        "description?": .text("The purpose of the change."),
        "rollbackSource?": .text("The version that a rollback restored."),
    ]).named("ConfigVersion")

    static let configVersionPage = fields([
        "versions?": .list("Newest first. Absent if there are no versions.", of: .configVersion),
        "nextPageToken?": .nextPageToken,
    ]).named("ConfigVersionPage")

    static let serverTemplate = object("A template for Firebase's server SDKs.").fields([
        "conditions": .list(
            of: .fields([
                "name": .text(),
                "condition": .object(
                    "A tree of `orCondition`, `andCondition`, `percent`, `customSignal`, `true` and `false`."
                ).open,
            ])
        ),
        "parameters": .map(of: .configParameter),
        "version": .configVersion,
    ]).named("ServerTemplate")
}
