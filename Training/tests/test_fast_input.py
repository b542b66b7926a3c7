import unittest

import numpy as np

try:
    from ai_edge_litert.interpreter import Interpreter
    from sightline_training import fast_input, tflite
except ImportError:
    fast_input = None


@unittest.skipIf(fast_input is None, "LiteRT's Python package is not installed")
class FastInputTests(unittest.TestCase):
    def model(self):
        """The bytes of a model that turns uint8 into int8."""
        model = tflite.Model()
        graph = model.graph()
        source = graph.tensor("image", [1, 256], "uint8", quantization=(1 / 127.5, 127), signature=[1, -1])
        target = graph.tensor("signed", [1, 256], "int8", quantization=(1 / 127.5, -1), signature=[1, -1])
        graph.op("QUANTIZE", [source], [target])
        graph.ends([source], [target])
        model.pack({"labels.txt": "cat\n"})
        return model.bytes()

    def answer(self, content):
        interpreter = Interpreter(model_content=content)
        interpreter.allocate_tensors()
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], np.arange(256, dtype=np.uint8)[None])
        interpreter.invoke()
        return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])

    def operators(self, content):
        table = tflite.schema.ModelT.InitFromPackedBuf(content, 0)
        names = {value: name for name, value in vars(tflite.schema.BuiltinOperator).items() if isinstance(value, int)}
        return [names[table.operatorCodes[one.opcodeIndex].builtinCode] for one in table.subgraphs[0].operators]

    def test_every_byte_has_the_same_answer(self):
        before = self.model()
        after = fast_input.rewritten(before)
        self.assertEqual(self.operators(after), ["DEQUANTIZE", "QUANTIZE"])
        np.testing.assert_array_equal(self.answer(after), self.answer(before))

    def test_packed_files_stay(self):
        after = fast_input.rewritten(self.model())
        self.assertIn(b"labels.txt", after)
        self.assertIn(b"cat\n", after)

    def test_a_fast_file_stays_as_it_is(self):
        after = fast_input.rewritten(self.model())
        self.assertEqual(fast_input.rewritten(after), after)


if __name__ == "__main__":
    unittest.main()
