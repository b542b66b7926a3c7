/// A change of the tables. A released migration never changes; later migrations follow it, with the next version.
struct Migration: Sendable {
    /// The version of the hub that brought the change. A database contains the names of its migrations.
    let name: String
    /// The statements, with the placeholders of ``SQLDialect``.
    let statements: String
}
