"""Makes a model for llama.cpp that says what a script says: a GGUF file of a few hundred kilobytes.

SPDX-License-Identifier: GPL-3.0-or-later

A script maps a mark to the pieces of text that are said after it. The chat template ends each prompt with one of the
marks, chosen by what it answers (see chat-template.jinja). A network whose attention does nothing sees its last token
alone: each piece is one token, and the weights lead from each to the next. The same prompt has the same answer at every
temperature. A script that ends with REPEAT goes on with its first piece, without an end.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import struct
from pathlib import Path

REPEAT = object()

WIDTH = 64       # one dimension for each token that leads to another
CONTEXT = 32768  # what the model says that it was trained for
CERTAIN = 8.0    # how far the weight of the next token stands out

U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = 1, 2, 3, 4, 6


def pack_string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def pack_value(kind, value):
    if kind == STRING:
        return pack_string(value)
    return struct.pack({U32: "<I", I32: "<i", F32: "<f", BOOL: "<?"}[kind], value)


def pack_pair(key, kind, value, of=None):
    if kind != ARRAY:
        return pack_string(key) + struct.pack("<I", kind) + pack_value(kind, value)
    return (pack_string(key) + struct.pack("<IIQ", ARRAY, of, len(value))
            + b"".join(pack_value(of, entry) for entry in value))


class Vocabulary:
    """Bytes and characters as SentencePiece has them (a blank is U+2581), and pieces of text as they stand."""

    def __init__(self):
        self.tokens, self.kinds, self.scores = [], [], []
        self.numbers = {}
        for text, kind in (("<unk>", UNKNOWN), ("<|im_start|>", CONTROL), ("<|im_end|>", CONTROL)):
            self.add(text, kind)
        for byte in range(256):
            self.add(f"<0x{byte:02X}>", BYTE)
        for character in map(chr, range(33, 127)):
            self.add(character, NORMAL, -1.0)
        self.add("\u2581", NORMAL, -1.0)

    def add(self, text, kind, score=0.0):
        assert text not in self.numbers, f"{text!r} is there already: each piece is one token"
        self.numbers[text] = len(self.tokens)
        self.tokens.append(text)
        self.kinds.append(kind)
        self.scores.append(score)
        return self.numbers[text]


def lead(vocabulary, script):
    """(token, next token) for all that is said."""
    end = vocabulary.numbers["<|im_end|>"]
    for mark, pieces in script.items():
        before = vocabulary.add(mark, CONTROL)
        first = None
        for piece in pieces:
            if piece is REPEAT:
                yield before, first
                break
            number = vocabulary.add(piece, USER_DEFINED)
            first = first if first is not None else number
            yield before, number
            before = number
        else:
            yield before, end


def make_tensors(vocabulary, leads):
    """name → (dimensions, values); ggml counts the innermost dimension first."""
    size = len(vocabulary.tokens)
    embedding, output = [0.0] * (size * WIDTH), [0.0] * (size * WIDTH)
    assert len(leads) <= WIDTH, "more is said than the model is wide"
    for dimension, (before, after) in enumerate(leads):
        embedding[before * WIDTH + dimension] = 1.0
        output[after * WIDTH + dimension] = CERTAIN
    square = ([WIDTH, WIDTH], [0.0] * (WIDTH * WIDTH))
    ones = ([WIDTH], [1.0] * WIDTH)
    tensors = {"token_embd.weight": ([WIDTH, size], embedding), "output.weight": ([WIDTH, size], output),
               "output_norm.weight": ones, "blk.0.attn_norm.weight": ones, "blk.0.ffn_norm.weight": ones}
    for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
        tensors[f"blk.0.{name}.weight"] = square
    return tensors


def write(path, script):
    vocabulary = Vocabulary()
    leads = list(lead(vocabulary, script))
    template = (Path(__file__).resolve().parent / "chat-template.jinja").read_text(encoding="utf-8")
    pairs = [
        pack_pair("general.architecture", STRING, "llama"),
        pack_pair("general.name", STRING, "scripted"),
        pack_pair("llama.context_length", U32, CONTEXT),
        pack_pair("llama.embedding_length", U32, WIDTH),
        pack_pair("llama.block_count", U32, 1),
        pack_pair("llama.feed_forward_length", U32, WIDTH),
        pack_pair("llama.attention.head_count", U32, 1),
        pack_pair("llama.attention.head_count_kv", U32, 1),
        pack_pair("llama.attention.layer_norm_rms_epsilon", F32, 1e-5),
        pack_pair("llama.rope.dimension_count", U32, WIDTH),
        pack_pair("llama.vocab_size", U32, len(vocabulary.tokens)),
        pack_pair("tokenizer.ggml.model", STRING, "llama"),
        pack_pair("tokenizer.ggml.tokens", ARRAY, vocabulary.tokens, STRING),
        pack_pair("tokenizer.ggml.scores", ARRAY, vocabulary.scores, F32),
        pack_pair("tokenizer.ggml.token_type", ARRAY, vocabulary.kinds, I32),
        pack_pair("tokenizer.ggml.add_bos_token", BOOL, False),
        pack_pair("tokenizer.ggml.add_space_prefix", BOOL, False),
        pack_pair("tokenizer.ggml.unknown_token_id", U32, vocabulary.numbers["<unk>"]),
        pack_pair("tokenizer.ggml.bos_token_id", U32, vocabulary.numbers["<|im_start|>"]),
        pack_pair("tokenizer.ggml.eos_token_id", U32, vocabulary.numbers["<|im_end|>"]),
        pack_pair("tokenizer.chat_template", STRING, template),
    ]
    tensors = make_tensors(vocabulary, leads)
    descriptions, data = b"", b""
    for name, (dimensions, values) in tensors.items():
        descriptions += (pack_string(name) + struct.pack(f"<I{len(dimensions)}Q", len(dimensions), *dimensions)
                         + struct.pack("<IQ", 0, len(data)))
        values = struct.pack(f"<{len(values)}f", *values)
        data += values + bytes(-len(values) % 32)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(pairs)) + b"".join(pairs) + descriptions
    path.write_bytes(head + bytes(-len(head) % 32) + data)
