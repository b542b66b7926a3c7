import ModelHubProtocol

extension Hub {
    /// Refuses an experiment whose variants name models of different formats: Firebase's clients read only one of them, so that the variants
    /// would have different kinds of devices.
    func checkFormats(of plan: ExperimentPlan, by caller: Caller) async throws {
        var names = Set(plan.variants.compactMap(\.value))
        if plan.variants.contains(where: { $0.value == nil }),
            let parameter = try await configTemplate(by: caller).template.allParameters[plan.parameter]
        {
            // A variant without its own value keeps the value that the parameter has.
            let kept = plan.condition.flatMap { parameter.conditionalValues[$0] } ?? parameter.defaultValue
            names.formUnion(kept?.texts ?? [])
        }
        var models: [HostedFormat: String] = [:]
        for name in names.sorted() where (try? ModelRules.check(displayName: name)) != nil {
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
}
