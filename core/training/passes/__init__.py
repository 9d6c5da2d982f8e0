"""The model's training pass, forward and backward, written by hand.

`core.model` is the Transformer written to be read; decoding, validation and probes run it, and autograd could train
it. The classes here train the same weights with the same arithmetic, and tests compare the two. They are faster: they
run fewer operations, save nothing twice, and add gradients where the optimizer reads them. Each class is one part of
the model, with its `forward` and `backward` side by side. It keeps what `backward` needs in itself, so every `forward`
must be followed by its `backward`.
"""
