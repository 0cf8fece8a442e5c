import assert from "node:assert/strict";
import test from "node:test";

import { visible } from "../../app/viewer/numbers.js";
import { textOfPiece } from "../../app/viewer/vocabulary.js";

test("byte-level entries are read as the bytes that they stand for", () => {
  const read = { "Ġyou": " you", "Ċ": "\n", "å¥½": "好", "ä»Ĭå¤©": "今天", "Ã©": "é", "ðŁĺĢ": "😀", "<|im_end|>": "<|im_end|>" };
  for (const [piece, text] of Object.entries(read)) assert.equal(textOfPiece(piece, "byte_level"), text);
});

test("bytes that are only part of a character are named", () => {
  assert.equal(textOfPiece("å¥", "byte_level"), "<0xE5><0xA5>");
  assert.equal(textOfPiece("½", "byte_level"), "<0xBD>");
  assert.equal(textOfPiece("aÃ", "byte_level"), "a<0xC3>");
});

test("what is not written in the alphabet of bytes is left as it stands", () => {
  assert.equal(textOfPiece("<｜tool▁calls▁begin｜>", "byte_level"), "<｜tool▁calls▁begin｜>");
});

test("SentencePiece entries are text already, but for spaces and single bytes", () => {
  assert.equal(textOfPiece("▁你好", "sentencepiece"), " 你好");
  assert.equal(textOfPiece("é", "sentencepiece"), "é");
  assert.equal(textOfPiece("<0x0A>", "sentencepiece"), "\n");
  assert.equal(textOfPiece("<0xE5>", "sentencepiece"), "<0xE5>");
});

test("where the kind is not known, spaces and breaks are read", () => {
  assert.equal(textOfPiece("Ġa"), " a");
  assert.equal(textOfPiece("▁a"), " a");
});

test("a piece alone has its spaces and breaks made visible; the text that it wrote is preferred", () => {
  assert.equal(visible("Ġå¥½Ċ", "", "byte_level"), "␣好↵");
  assert.equal(visible("å", "好", "byte_level"), "好");
});
