extension ConsoleTemplates {
    /// The templates by the names that others and pages know them by.
    static var sources: [String: [UInt8]] {
        [
            "activity": PackageResources.activity_mustache,
            "error": PackageResources.error_mustache,
            "evaluation": PackageResources.evaluation_mustache,
            "evaluation-cell": PackageResources.evaluation_cell_mustache,
            "layout": PackageResources.layout_mustache,
            "model": PackageResources.model_mustache,
            "model-delete": PackageResources.model_delete_mustache,
            "model-new": PackageResources.model_new_mustache,
            "models": PackageResources.models_mustache,
            "sign-in": PackageResources.sign_in_mustache,
            "upload-fields": PackageResources.upload_fields_mustache,
            "upload-progress": PackageResources.upload_progress_mustache,
        ]
    }
}
