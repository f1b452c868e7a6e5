import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Plugin } from 'vite';

const compress = promisify(brotliCompress);

/** Below this size a compressed copy saves no network packet. */
const MIN_BYTES = 1_024;
const TEXT = /\.(?:js|css|html|svg|json)$/;

/** Writes `<file>.br` beside every text file of the build, so that the server compresses nothing at run time. */
export function brotli(): Plugin {
  return {
    name: 'vigie:brotli',
    apply: 'build',
    // Never called for a build in memory.
    async writeBundle({ dir = 'dist' }) {
      const entries = await readdir(dir, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && TEXT.test(entry.name));
      await Promise.all(
        files.map(async (entry) => {
          const path = join(entry.parentPath, entry.name);
          const plain = await readFile(path);
          if (plain.byteLength < MIN_BYTES) return;
          const params = {
            [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
            [constants.BROTLI_PARAM_SIZE_HINT]: plain.byteLength,
          };
          await writeFile(`${path}.br`, await compress(plain, { params }));
        }),
      );
    },
  };
}
