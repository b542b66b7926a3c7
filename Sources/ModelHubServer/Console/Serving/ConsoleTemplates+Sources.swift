import ZoneDrawing

extension ConsoleTemplates {
    /// The templates by the names that other templates and pages use.
    static var sources: [String: [UInt8]] {
        [
            "activity": PackageResources.activity_mustache,
            "card-fields": PackageResources.card_fields_mustache,
            "comparison": PackageResources.comparison_mustache,
            "config": PackageResources.config_mustache,
            "config-condition": PackageResources.config_condition_mustache,
            "config-conflict": PackageResources.config_conflict_mustache,
            "config-json": PackageResources.config_json_mustache,
            "config-parameter": PackageResources.config_parameter_mustache,
            "config-value": PackageResources.config_value_mustache,
            "config-version": PackageResources.config_version_mustache,
            "config-versions": PackageResources.config_versions_mustache,
            "confirmation": PackageResources.confirmation_mustache,
            "diff": PackageResources.diff_mustache,
            "error": PackageResources.error_mustache,
            "evaluation": PackageResources.evaluation_mustache,
            "evaluation-cell": PackageResources.evaluation_cell_mustache,
            "experiment": PackageResources.experiment_mustache,
            "experiment-new": PackageResources.experiment_new_mustache,
            "experiments": PackageResources.experiments_mustache,
            "keys": PackageResources.keys_mustache,
            "layout": PackageResources.layout_mustache,
            "model": PackageResources.model_mustache,
            "model-delete": PackageResources.model_delete_mustache,
            "model-new": PackageResources.model_new_mustache,
            "model-try": PackageResources.model_try_mustache,
            "models": PackageResources.models_mustache,
            "people": PackageResources.people_mustache,
            "projects": PackageResources.projects_mustache,
            "rollout": PackageResources.rollout_mustache,
            "rollout-new": PackageResources.rollout_new_mustache,
            "rollouts": PackageResources.rollouts_mustache,
            "secret": PackageResources.secret_mustache,
            "sessions": PackageResources.sessions_mustache,
            "sign-in": PackageResources.sign_in_mustache,
            "try-form": PackageResources.try_form_mustache,
            "upload-fields": PackageResources.upload_fields_mustache,
            "upload-notes": PackageResources.upload_notes_mustache,
            "upload-progress": PackageResources.upload_progress_mustache,
            "version-notes": PackageResources.version_notes_mustache,
            "zone-drawing": ZoneDrawing.template,
        ]
    }
}
