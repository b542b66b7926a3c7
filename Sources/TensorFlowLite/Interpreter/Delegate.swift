/// A helper that runs parts of a model on other hardware, for example on a GPU.
///
/// The protocol exists so that code written for TensorFlowLiteSwift compiles. The runtime supports no delegates: an
/// interpreter that receives a delegate throws `InterpreterError.tensorFlowLiteError`.
public protocol Delegate: AnyObject {}
