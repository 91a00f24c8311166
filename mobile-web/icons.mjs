// Draws the app's icons as PNG files into public/icons: a strip of five-hole tape that reads A and B in ITA2.
// Run by hand after a change of the mark (`npm run icons`); the files are committed, so a build needs no image tool.
import { deflateSync, crc32 } from "node:zlib";
import { mkdirSync, writeFileSync } from "node:fs";

const INK = [0x15, 0x19, 0x1d], PAPER = [0xfc, 0xf4, 0xdd];
// The mark in its own 17 x 25 box: holes as [cx, cy, radius]; the small ones are the feed holes.
const HOLES = [[5, 3, 1.8], [5, 7, 1.8], [5, 10.5, 0.8], [12, 3, 1.8], [12, 18, 1.8], [12, 22, 1.8], [12, 10.5, 0.8]];

/** Whether the point of the mark's box is paper. */
function inMark(x, y) {
  const dx = Math.max(2 - x, x - 15, 0), dy = Math.max(2 - y, y - 23, 0);
  if (x < 0 || x > 17 || y < 0 || y > 25 || dx * dx + dy * dy > 4) return false;
  return !HOLES.some(([cx, cy, r]) => (x - cx) ** 2 + (y - cy) ** 2 < r * r);
}

/** Share of a pixel that the mark covers, by 8 x 8 samples. */
function cover(px, py, scale, left, top) {
  let hit = 0;
  for (let i = 0; i < 64; i++)
    if (inMark((px + ((i & 7) + 0.5) / 8 - left) / scale, (py + ((i >> 3) + 0.5) / 8 - top) / scale)) hit++;
  return hit / 64;
}

/** Pixels: mark of height share*size in the middle, on ink, or on nothing for the badge (which platforms use as a mask). */
function draw(size, share, badge) {
  const scale = (size * share) / 25, left = (size - 17 * scale) / 2, top = (size - 25 * scale) / 2;
  const rows = Buffer.alloc(size * (size * 4 + 1));
  for (let y = 0, o = 0; y < size; y++) {
    rows[o++] = 0;
    for (let x = 0; x < size; x++) {
      const c = cover(x, y, scale, left, top);
      for (let k = 0; k < 3; k++) rows[o++] = badge ? 255 : Math.round(INK[k] + (PAPER[k] - INK[k]) * c);
      rows[o++] = badge ? Math.round(255 * c) : 255;
    }
  }
  return png(size, rows);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]), out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

function png(size, rows) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", head), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}

mkdirSync("public/icons", { recursive: true });
for (const [name, size, share, badge] of [["icon-192", 192, 0.7], ["icon-512", 512, 0.7], ["maskable-512", 512, 0.5], ["apple-180", 180, 0.6], ["badge-96", 96, 0.9, true]])
  writeFileSync(`public/icons/${name}.png`, draw(size, share, badge));
