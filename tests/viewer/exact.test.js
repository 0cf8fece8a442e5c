import assert from "node:assert/strict";
import test from "node:test";

import { jsonText, parseJson } from "../../app/viewer/numbers.js";
import { callText } from "../../app/viewer/reading.js";

test("whole numbers keep their digits, however many", () => {
  const written = '{"a":12345678901234567890,"b":[-98765432109876543210,9007199254740991,1],"c":{"d":"12345678901234567890"}}';
  const { arguments: value } = parseJson(`{"arguments":${written}}`);
  assert.equal(value.a, 12345678901234567890n);
  assert.deepEqual(value.b.slice(1), [9007199254740991, 1]);
  assert.equal(jsonText(value), written);
  const { arguments: one } = parseJson('{"arguments":{"value":12345678901234567890}}');
  assert.equal(callText("convert", one), 'convert({"value":12345678901234567890})');
});

test("large whole numbers that are no arguments stay numbers, so that a figure of a run file can be reckoned with", () => {
  for (const text of ['{"seconds":12345678901234567890}', '[{"n_tokens":[1234567890123456789]}]', "12345678901234567890"]) {
    assert.deepEqual(parseJson(text), JSON.parse(text));
  }
  const event = parseJson('{"seed":1234567890123456789,"arguments":{"__proto__":1234567890123456789,"":[1234567890123456789]}}');
  assert.equal(event.seed, 1234567890123456800);
  assert.deepEqual(Object.entries(event.arguments), [["__proto__", 1234567890123456789n], ["", [1234567890123456789n]]]);
  assert.equal(Object.getPrototypeOf(event.arguments), Object.prototype);
});

test("what only looks like a large whole number is left alone", () => {
  const texts = ['{"p":0.12345678901234567}', '{"x":1.5e+30}', '"1234567890123456789"', '"\\"1234567890123456789"', "[1e22]"];
  for (const text of texts) {
    assert.deepEqual(parseJson(text), JSON.parse(text));
  }
});

test("broken JSON is refused as ever", () => {
  for (const text of ["", '{"a":1234567890123456789', "{}1234567890123456789"]) assert.throws(() => parseJson(text), SyntaxError);
});
