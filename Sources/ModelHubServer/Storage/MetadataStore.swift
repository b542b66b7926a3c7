/// The store for the hub's records: the stores of all features, in one database.
///
/// Every method is a transaction: it takes effect durably, or not at all. Methods that change records write an entry of
/// the audit log in the same transaction.
public protocol MetadataStore: ProjectStore, CredentialStore, PersonStore, ModelStore, DownloadStore, ObjectStore,
    UploadStore, BlobIndex,
    TemplateStore, ExperimentStore, ConsoleSessionStore, ModelListingStore, ModelDayStore, EvaluationStore, AuditStore,
    StoreMaintenance
{}
