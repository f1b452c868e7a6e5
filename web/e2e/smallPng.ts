import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** Colours of a palette. */
const MOST_COLOURS = 256;
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Bytes of the length, the name and the checksum around the data of a part. */
const PART_FRAME = 12;

/** A picture with 8 bits for each of red, green and blue, as browsers take it, with a palette of its most frequent colours: a third of the size. */
export function smallPng(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette = [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_COLOURS);
  const colours = palette.map(([colour]) => colour);
  const indices = new Map(colours.map((colour, at) => [colour, at]));
  const rows = Buffer.alloc(height * (width + 1));
  pixels.forEach((colour, at) => {
    const known = indices.get(colour) ?? nearest(colour, colours);
    indices.set(colour, known);
    rows[at + Math.floor(at / width) + 1] = known;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  const table = Buffer.from(colours.flatMap((colour) => channels(colour)));
  return Buffer.concat([
    SIGNATURE,
    part('IHDR', header),
    part('PLTE', table),
    part('IDAT', deflateSync(rows, { level: 9 })),
    part('IEND', Buffer.alloc(0)),
  ]);
}

const channels = (colour: number): number[] => [colour >> 16, (colour >> 8) & 255, colour & 255];

function nearest(colour: number, colours: readonly number[]): number {
  const wanted = channels(colour);
  const distance = (other: number) =>
    channels(other).reduce((sum, value, at) => sum + (value - (wanted[at] ?? 0)) ** 2, 0);
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  colours.forEach((other, at) => {
    const now = distance(other);
    if (now < least) [best, least] = [at, now];
  });
  return best;
}

function part(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const whole = Buffer.alloc(data.length + PART_FRAME);
  whole.writeUInt32BE(data.length, 0);
  whole.set(body, 4);
  whole.writeUInt32BE(crc32(body), data.length + 8);
  return whole;
}

/** The colours of a picture without palette and interlacing, row after row; transparency is left out. */
function decode(png: Buffer): { width: number; height: number; pixels: Uint32Array } {
  const [width, height, kind] = [png.readUInt32BE(16), png.readUInt32BE(20), png.readUInt8(25)];
  const data: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + PART_FRAME)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const rows = inflateSync(Buffer.concat(data));
  const bytes = kind === 6 ? 4 : 3;
  const line = width * bytes;
  const pixels = new Uint32Array(width * height);
  let above = new Uint8Array(line);
  for (let y = 0; y < height; y += 1) {
    const start = y * (line + 1);
    const row = unfiltered(rows[start] ?? 0, rows.subarray(start + 1, start + 1 + line), above, bytes);
    const read = Buffer.from(row.buffer);
    for (let x = 0; x < width; x += 1) pixels[y * width + x] = read.readUIntBE(x * bytes, 3);
    above = row;
  }
  return { width, height, pixels };
}

/** A row before its filter: each byte was stored as its difference from neighbours (PNG specification, 9.2). */
function unfiltered(filter: number, row: Uint8Array, above: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> {
  const plain = new Uint8Array(row.length);
  for (let at = 0; at < row.length; at += 1) {
    const [left, up] = [plain[at - bytes] ?? 0, above[at] ?? 0];
    const corner = above[at - bytes] ?? 0;
    const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
    plain[at] = (row[at] ?? 0) + guess;
  }
  return plain;
}

function paeth(left: number, up: number, corner: number): number {
  const whole = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((value) => Math.abs(whole - value)) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
