import ArgumentParser
import ModelCatalog

extension CompletionKind {
    /// The names of installed models.
    static var installedModel: CompletionKind { .custom { _, _, _ in installedModels() } }

    /// The names of installed models and of the catalog.
    static var model: CompletionKind {
        .custom { _, _, _ in
            let catalog = (try? ModelCatalog.bundled())?.entries.map(\.name) ?? []
            return Set(installedModels() + catalog).sorted()
        }
    }

    /// The names of installed models and of the catalog, and the word for the built-in models.
    static var defaultModel: CompletionKind {
        .custom { _, _, _ in
            let catalog = (try? ModelCatalog.bundled())?.entries.filter { $0.task == .detection }.map(\.name) ?? []
            return Set(installedModels() + catalog + [DefaultModel.builtIn]).sorted()
        }
    }

    /// The names of installed models. ``CompletionScript`` adds files.
    static var modelOrFile: CompletionKind { .installedModel }

    private static func installedModels() -> [String] { ModelStore.ofUser().installed().map(\.name) }
}
