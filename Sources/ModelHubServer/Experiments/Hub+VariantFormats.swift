import ModelHubProtocol

/// Firebase's clients read TensorFlow Lite alone. If the models of an experiment had two formats, or one of them changed its format, the
/// variants would have different kinds of devices.
extension Hub {
    /// Refuses an experiment whose variants name models of different formats.
    func checkFormats(of plan: ExperimentPlan, by caller: Caller) async throws {
        let names = try await modelNames(in: plan.variants, of: plan.parameter, plan.condition, by: caller)
        var models: [HostedFormat: String] = [:]
        for name in names.sorted() {
            guard let file = try await records.model(named: name, of: caller.project.id)?.file else { continue }
            models[try await format(of: file.hash)] = name
        }
        guard let other = models[.tensorFlowLite], let onnx = models[.onnx] else { return }
        throw HubError(
            .failedPrecondition,
            "The variants name models of two formats: \(other) is in TensorFlow Lite, and \(onnx) in ONNX, which Firebase's clients do not read; "
                + "compare models of one format."
        )
    }

    /// Refuses to serve a version, or to give a model another name, if a running experiment would then compare models of two formats or
    /// lose the devices that read one of them.
    ///
    /// - Parameters:
    ///   - new: The model after the change.
    ///   - old: The model before the change; nil for a new model.
    func checkExperiments(whenServing new: ModelRecord, insteadOf old: ModelRecord?, by caller: Caller) async throws {
        guard let file = new.file, file.version != old?.file?.version || new.displayName != old?.displayName else {
            return
        }
        let running = try await records.runningExperiments(of: caller.project.id)
        guard !running.isEmpty else { return }
        let format = try await format(of: file.hash)
        for experiment in running {
            let names = try await modelNames(
                in: experiment.variants,
                of: experiment.parameter,
                experiment.condition,
                by: caller
            )
            guard names.contains(new.displayName) else { continue }
            // Devices that read the served version decide; a model that was not served joins the others.
            var served: [(name: String, hash: BlobHash)] = []
            if let old, old.displayName == new.displayName, let file = old.file {
                served = [(new.displayName, file.hash)]
            } else {
                for name in names.sorted() where name != new.displayName {
                    guard let file = try await records.model(named: name, of: caller.project.id)?.file else { continue }
                    served.append((name, file.hash))
                }
            }
            for (name, hash) in served {
                let other = try await self.format(of: hash)
                guard other != format else { continue }
                let rival = name == new.displayName ? "the served version" : name
                throw HubError(
                    .failedPrecondition,
                    "Version \(file.version) of \(new.displayName) is a model in the format \(format.title), \(rival) is in the format "
                        + "\(other.title), and the running experiment \"\(experiment.id)\" gives \(new.displayName) to devices that may read only "
                        + "one of them; stop the experiment first, or publish the file under another name."
                )
            }
        }
    }

    /// The values of variants that can be the names of models.
    private func modelNames(
        in variants: [Experiment.Variant],
        of parameter: String,
        _ condition: String?,
        by caller: Caller
    ) async throws -> Set<String> {
        var names = Set(variants.compactMap(\.value))
        if variants.contains(where: { $0.value == nil }),
            let parameter = try await configTemplate(by: caller).template.allParameters[parameter]
        {
            // A variant without its own value keeps the value that the parameter has.
            let kept = condition.flatMap { parameter.conditionalValues[$0] } ?? parameter.defaultValue
            names.formUnion(kept?.texts ?? [])
        }
        return names.filter { (try? ModelRules.check(displayName: $0)) != nil }
    }
}
