import Foundation

/// A template that is or was in use.
package struct PublishedTemplate: Sendable, Hashable {
    /// The contents.
    package var template: ConfigTemplate
    /// The version; number 0 if there never was a template, or if the template was only checked.
    package var version: TemplateVersion
    /// The etag, which changes with every version. A client must send it to publish the next version.
    package var etag: String
    /// The template in the format of ``ConfigTemplate/json(pretty:)``, without line breaks.
    package var json: String
}

/// The operations on Remote Config templates.
extension Hub {
    /// A version of a template; by default the newest version.
    ///
    /// - Throws: `.notFound` if the version does not exist. If there never was a template, the result is empty and has
    ///   version 0.
    package func configTemplate(
        _ version: Int64? = nil,
        in namespace: ConfigNamespace = .client,
        by caller: Caller
    ) async throws -> PublishedTemplate {
        let stored = try await storedTemplate(version, in: namespace, by: caller)
        return PublishedTemplate(
            template: try templates.template(stored, in: namespace, of: caller.project.id),
            version: stored.version,
            etag: stored.etag,
            json: stored.json
        )
    }

    /// A stored version, for callers that need only its text.
    func storedTemplate(
        _ version: Int64? = nil,
        in namespace: ConfigNamespace = .client,
        by caller: Caller
    ) async throws -> StoredTemplate {
        try caller.require(.viewer)
        if let stored = try await records.template(version, in: namespace, of: caller.project.id) { return stored }
        guard version == nil || version == 0 else {
            throw HubError(
                .notFound,
                "There is no version \(version ?? 0) of the template (the hub keeps the last \(TemplateVersion.limit)); "
                    + "`sightline hub config versions` lists them."
            )
        }
        return StoredTemplate(
            version: TemplateVersion(
                number: 0,
                updateTime: caller.project.createTime,
                updateUser: "",
                updateOrigin: "REMOTE_CONFIG_UPDATE_ORIGIN_UNSPECIFIED",
                updateType: "REMOTE_CONFIG_UPDATE_TYPE_UNSPECIFIED",
                description: ""
            ),
            etag: caller.project.firstTemplateEtag,
            json: "{}"
        )
    }

    /// The versions before another version, or all stored versions, newest first.
    package func configVersions(
        in namespace: ConfigNamespace = .client,
        before version: Int64? = nil,
        limit: Int,
        by caller: Caller
    ) async throws -> [TemplateVersion] {
        try caller.require(.viewer)
        return try await records.templateVersions(
            in: namespace,
            of: caller.project.id,
            before: version,
            limit: limit
        )
    }

    /// Publishes a template. Apps get it with their next fetch.
    ///
    /// - Parameters:
    ///   - json: The template as JSON; see ``ConfigTemplate``.
    ///   - namespace: The namespace of apps or of servers.
    ///   - etag: The etag of the replaced version, which prevents the loss of concurrent changes; `*` for any version.
    ///   - origin: The tool that made the change.
    ///   - isChecked: Whether to check the template without publishing it.
    ///   - caller: The caller, who must have the role publisher.
    /// - Throws: `.invalidArgument` with the position of a mistake; `.failedPrecondition` with the status 412 and both
    ///   etags if another version was published meanwhile, or without an etag; `.failedPrecondition` if the template
    ///   would end or change a running experiment.
    package func publishConfig(
        _ json: String,
        in namespace: ConfigNamespace = .client,
        replacing etag: String,
        origin: String = "REST_API",
        onlyCheck isChecked: Bool = false,
        by caller: Caller
    ) async throws -> PublishedTemplate {
        try caller.require(.publisher)
        let input = try ConfigTemplate.read(Array(json.utf8))
        return try await publish(checked: input, in: namespace, etag, origin, onlyCheck: isChecked, by: caller)
    }

    /// Publishes a template that forms or menus made, as ``publishConfig(_:in:replacing:origin:onlyCheck:by:)`` does.
    ///
    /// - Throws: `.invalidArgument` that names the part of the template instead of a position.
    func publishConfig(
        _ template: ConfigTemplate,
        description: String,
        replacing etag: String,
        origin: String,
        by caller: Caller
    ) async throws -> PublishedTemplate {
        try caller.require(.publisher)
        try template.check()
        let input = ConfigTemplate.Input(template: template, description: description)
        return try await publish(checked: input, in: .client, etag, origin, onlyCheck: false, by: caller)
    }

    private func publish(
        checked input: ConfigTemplate.Input,
        in namespace: ConfigNamespace,
        _ etag: String,
        _ origin: String,
        onlyCheck isChecked: Bool,
        by caller: Caller
    ) async throws -> PublishedTemplate {
        var version = newVersion(origin, etag == "*" ? "FORCED_UPDATE" : "INCREMENTAL_UPDATE", caller)
        version.description = input.description
        return try await replacing(etag, in: namespace, by: caller) { current in
            let template = try await usable(input.template, after: current.template, in: namespace, by: caller)
            if isChecked {
                return PublishedTemplate(
                    template: template,
                    version: version,
                    etag: caller.project.checkedTemplateEtag,
                    json: template.json()
                )
            }
            return try await publish(
                template,
                version,
                in: namespace,
                replacing: current.etag,
                by: caller,
                "config.publish"
            )
        }
    }

    /// Calls `body` with the current version. With the etag `*` it calls `body` again if another version was published
    /// meanwhile.
    ///
    /// An experiment starts, changes and stops with a version, so `body` sees the experiments of the version that it
    /// replaces.
    func replacing<Result>(
        _ etag: String,
        in namespace: ConfigNamespace,
        by caller: Caller,
        _ body: (PublishedTemplate) async throws -> Result
    ) async throws -> Result {
        for _ in 1...5 {
            let current = try await configTemplate(in: namespace, by: caller)
            guard etag == "*" || etag == current.etag else { throw HubError.stale(etag, current: current.etag) }
            do {
                return try await body(current)
            } catch let error as HubError where error.httpStatus == 412 && etag == "*" {
                continue
            }
        }
        throw HubError(.aborted, "The template changes too often; try again.")
    }

    /// Publishes an old version as a new one.
    package func rollBackConfig(
        to number: Int64,
        in namespace: ConfigNamespace = .client,
        origin: String = "REST_API",
        by caller: Caller
    ) async throws -> PublishedTemplate {
        try caller.require(.publisher)
        let source = try await configTemplate(number, in: namespace, by: caller)
        guard number > 0 else {
            throw HubError(.invalidArgument, "Version 0 is not a template; use a published version.")
        }
        var version = newVersion(origin, "ROLLBACK", caller)
        version.rollbackSource = number
        version.description = "Rollback to version \(number)"
        return try await replacing("*", in: namespace, by: caller) { current in
            let template: ConfigTemplate
            do {
                template = try await usable(source.template, after: current.template, in: namespace, by: caller)
            } catch let error as HubError where [.invalidArgument, .failedPrecondition].contains(error.code) {
                throw HubError(.failedPrecondition, "Version \(number) cannot be restored. \(error.message)")
            }
            return try await publish(
                template,
                version,
                in: namespace,
                replacing: current.etag,
                by: caller,
                "config.rollback"
            )
        }
    }

    /// Stores a checked template, together with an experiment that starts, changes or stops with it.
    func publish(
        _ template: ConfigTemplate,
        _ version: TemplateVersion,
        in namespace: ConfigNamespace,
        replacing etag: String,
        experiment: Experiment? = nil,
        by caller: Caller,
        _ action: String
    ) async throws -> PublishedTemplate {
        let json = template.json()
        guard json.utf8.count <= ConfigTemplate.Limits.storedLength else {
            throw HubError(
                .invalidArgument,
                "The template has \(json.utf8.count) bytes of JSON, more than \(ConfigTemplate.Limits.storedLength); shorten values and "
                    + "descriptions, or use fewer."
            )
        }
        let draft = TemplateDraft(
            project: caller.project,
            namespace: namespace,
            json: json,
            replaces: etag,
            version: version
        )
        let target = "projects/\(caller.project.id)/namespaces/\(namespace.rawValue)/remoteConfig"
        let stored = try await records.insert(
            draft,
            experiment: experiment,
            audit: audit(caller, action, target, String(version.description.prefix(200)))
        )
        return PublishedTemplate(template: template, version: stored.version, etag: stored.etag, json: stored.json)
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

    /// The template with the exposures of running experiments, checked against the namespace and the project: servers
    /// support only some terms, and running experiments must not change.
    private func usable(
        _ template: ConfigTemplate,
        after current: ConfigTemplate,
        in namespace: ConfigNamespace,
        by caller: Caller
    ) async throws -> ConfigTemplate {
        if namespace == .server {
            try ServerTemplate.check(template)
            return template
        }
        let running = try await records.runningExperiments(of: caller.project.id)
        var template = template
        template.addExposures(of: running)
        try template.checkExperiments(running)
        for experiment in running {
            guard let problem = template.problem(for: experiment, after: current) else { continue }
            throw HubError(
                .failedPrecondition,
                "The experiment \"\(experiment.id)\" runs on the parameter \"\(experiment.parameter)\", but the template \(problem); stop the "
                    + "experiment first with `sightline hub experiment stop \(experiment.id)`, or keep its condition and its values."
            )
        }
        return template
    }
}
