// How an entry of a vocabulary reads, as families/pieces.py has it: entries are stored in an alphabet of their kind. Pure.

/** The byte that each character of a byte-level vocabulary stands for: the printable bytes are themselves. */
function byteAlphabet() {
  const printable = (byte) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte < 0x100 && byte !== 0xad);
  const bytes = new Map();
  let hidden = 0;
  for (let byte = 0; byte < 0x100; byte += 1) bytes.set(String.fromCharCode(printable(byte) ? byte : 0x100 + hidden++), byte);
  return bytes;
}

const BYTES = byteAlphabet();
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decoded(bytes) {
  try {
    return UTF8.decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}

function lengthOf(lead) {
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** The text of bytes; those that are only part of a character as "<0xE5>". */
function textOfBytes(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = lengthOf(bytes[at]);
    const character = at + length <= bytes.length ? decoded(bytes.slice(at, at + length)) : null;
    text += character ?? `<0x${bytes[at].toString(16).toUpperCase().padStart(2, "0")}>`;
    at += character === null ? 1 : length;
  }
  return text;
}

/**
 * @param {string} piece As stored.
 * @param {string} [vocabulary] The family's kind, "byte_level" or "sentencepiece"; without it only spaces and breaks are read.
 */
export function textOfPiece(piece, vocabulary) {
  if (vocabulary === "sentencepiece") {
    const byte = /^<0x([0-7][0-9A-Fa-f])>$/.exec(piece);
    return byte ? String.fromCharCode(parseInt(byte[1], 16)) : piece.replaceAll("▁", " ");
  }
  if (vocabulary !== "byte_level") return piece.replaceAll(/[Ġ▁]/g, " ").replaceAll("Ċ", "\n").replaceAll("ĉ", "\t");
  const bytes = [...piece].map((character) => BYTES.get(character));
  return bytes.includes(undefined) ? piece : textOfBytes(bytes);
}
