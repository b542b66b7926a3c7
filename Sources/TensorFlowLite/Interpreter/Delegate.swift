/// Something that would run parts of a model elsewhere, for example on a GPU.
///
/// It exists so that code written for TensorFlowLiteSwift compiles. The runtime takes no delegates: an interpreter that
/// is given one throws `InterpreterError.tensorFlowLiteError`.
public protocol Delegate: AnyObject {}
