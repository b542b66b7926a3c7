import Foundation

/// A template that is or was in force.
public struct PublishedTemplate: Sendable, Hashable {
    /// What it says.
    public var template: ConfigTemplate
    /// Which version it is; number 0 if there never was a template, or if it was only checked.
    public var version: TemplateVersion
    /// Changes with every version; whoever publishes the next one shows it.
    public var etag: String
}

/// Remote Config: who may change templates, and what becomes of them.
extension Hub {
    /// A version of a template, the newest unless another is named.
    ///
    /// - Throws: `.notFound` if there is no such version; a template that never was is empty and has version 0.
    public func configTemplate(
        _ version: Int64? = nil,
        in namespace: ConfigNamespace = .client,
        by caller: Caller
    ) async throws -> PublishedTemplate {
        try caller.require(.read)
        if let stored = try await metadata.template(version, in: namespace, of: caller.project.id) {
            return try published(stored)
        }
        guard version == nil || version == 0 else {
            throw HubError(
                .notFound,
                "There is no version \(version ?? 0) of the template (the last \(TemplateVersion.limit) are kept); "
                    + "`sightline hub config versions` lists them."
            )
        }
        return PublishedTemplate(
            template: ConfigTemplate(),
            version: TemplateVersion(
                number: 0,
                updateTime: caller.project.createTime,
                updateUser: "",
                updateOrigin: "REMOTE_CONFIG_UPDATE_ORIGIN_UNSPECIFIED",
                updateType: "REMOTE_CONFIG_UPDATE_TYPE_UNSPECIFIED",
                description: ""
            ),
            etag: caller.project.firstTemplateEtag
        )
    }

    /// Versions before another, or all that are kept, newest first.
    public func configVersions(
        in namespace: ConfigNamespace = .client,
        before version: Int64? = nil,
        limit: Int,
        by caller: Caller
    ) async throws -> [TemplateVersion] {
        try caller.require(.read)
        return try await metadata.templateVersions(
            in: namespace,
            of: caller.project.id,
            before: version,
            limit: limit
        )
    }

    /// Publishes a template; apps get it with their next fetch.
    ///
    /// - Parameters:
    ///   - json: the template as JSON; see ``ConfigTemplate``.
    ///   - namespace: for apps or for servers.
    ///   - etag: that of the version which was changed, so that nobody else's change is lost; `*` for whatever there is.
    ///   - origin: with what it was made.
    ///   - isChecked: only says whether the template could be published.
    ///   - caller: who publishes it; must have the role publish.
    /// - Throws: `.invalidArgument` with the place of a mistake; `.failedPrecondition` with the status 412 and both etags if
    ///   another version was published meanwhile, or without an etag.
    public func publishConfig(
        _ json: String,
        in namespace: ConfigNamespace = .client,
        replacing etag: String,
        origin: String = "REST_API",
        onlyCheck isChecked: Bool = false,
        by caller: Caller
    ) async throws -> PublishedTemplate {
        try caller.require(.publish)
        let input = try ConfigTemplate.read(Array(json.utf8))
        var version = newVersion(origin, etag == "*" ? "FORCED_UPDATE" : "INCREMENTAL_UPDATE", caller)
        version.description = input.description
        try await checkUse(of: input.template, in: namespace, by: caller)
        if isChecked {
            if etag != "*" {
                let current = try await configTemplate(in: namespace, by: caller).etag
                guard current == etag else { throw HubError.stale(etag, current: current) }
            }
            version.number = 0
            return PublishedTemplate(
                template: input.template,
                version: version,
                etag: caller.project.checkedTemplateEtag
            )
        }
        return try await publish(input.template, version, in: namespace, replacing: etag, by: caller, "config.publish")
    }

    /// Publishes a version again as a new one.
    public func rollBackConfig(
        to number: Int64,
        in namespace: ConfigNamespace = .client,
        origin: String = "REST_API",
        by caller: Caller
    ) async throws -> PublishedTemplate {
        try caller.require(.publish)
        let current = try await configTemplate(in: namespace, by: caller)
        let source = try await configTemplate(number, in: namespace, by: caller)
        guard number > 0 else {
            throw HubError(.invalidArgument, "Version 0 is no template; name one that was published.")
        }
        do {
            try await checkUse(of: source.template, in: namespace, by: caller)
        } catch let error as HubError where error.code == .invalidArgument {
            throw HubError(.failedPrecondition, "Version \(number) cannot be in force again. \(error.message)")
        }
        var version = newVersion(origin, "ROLLBACK", caller)
        version.rollbackSource = number
        version.description = "Rollback to version \(number)"
        return try await publish(
            source.template,
            version,
            in: namespace,
            replacing: current.etag,
            by: caller,
            "config.rollback"
        )
    }

    /// Stores a template that was checked, with an experiment that begins, changes or ends with it.
    func publish(
        _ template: ConfigTemplate,
        _ version: TemplateVersion,
        in namespace: ConfigNamespace,
        replacing etag: String,
        experiment: Experiment? = nil,
        by caller: Caller,
        _ action: String
    ) async throws -> PublishedTemplate {
        let draft = TemplateDraft(
            project: caller.project,
            namespace: namespace,
            json: template.json(),
            replaces: etag == "*" ? nil : etag,
            version: version
        )
        let target = "projects/\(caller.project.id)/namespaces/\(namespace.rawValue)/remoteConfig"
        let stored = try await metadata.insert(
            draft,
            experiment: experiment,
            audit: audit(caller, action, target, String(version.description.prefix(200)))
        )
        return PublishedTemplate(template: template, version: stored.version, etag: stored.etag)
    }

    func newVersion(_ origin: String, _ type: String, _ caller: Caller) -> TemplateVersion {
        TemplateVersion(
            number: 0,
            updateTime: now(),
            updateUser: caller.actor,
            updateOrigin: origin,
            updateType: type,
            description: ""
        )
    }

    private func published(_ stored: StoredTemplate) throws -> PublishedTemplate {
        PublishedTemplate(
            template: try ConfigTemplate(json: stored.json),
            version: stored.version,
            etag: stored.etag
        )
    }

    /// Checks what a template needs besides itself: what servers can evaluate, and the experiments that it names.
    private func checkUse(of template: ConfigTemplate, in namespace: ConfigNamespace, by caller: Caller) async throws {
        if namespace == .server { return try ServerTemplate.check(template) }
        var experiments: [String: Experiment]?
        for (key, parameter) in template.allParameters.sorted(by: { $0.key < $1.key }) {
            let values = parameter.conditionalValues.sorted { $0.key < $1.key }.map(\.value)
            for case .experiment(let value) in values + [parameter.defaultValue].compactMap(\.self) {
                if experiments == nil {
                    experiments = Dictionary(
                        try await metadata.experiments(of: caller.project.id).map { ($0.id, $0) },
                        uniquingKeysWith: { first, _ in first }
                    )
                }
                guard let experiment = experiments?[value.experimentID], experiment.isRunning,
                    experiment.parameter == key, experiment.templateValue == .experiment(value)
                else {
                    throw HubError(
                        .invalidArgument,
                        "The parameter \"\(key)\" has a value of the experiment \"\(value.experimentID)\", which does not run with these "
                            + "variants and this exposure; start, expose and stop experiments with `sightline hub experiment`."
                    )
                }
            }
        }
    }
}
