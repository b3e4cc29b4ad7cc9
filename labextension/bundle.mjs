// Bundles the two entries that carry everything in one file: the widget module and the stand-alone page.
import { build, transform } from 'esbuild';
import { gzipSync } from 'fflate';
import { mkdir, readFile, writeFile } from 'node:fs/promises';

// A style sheet is imported as its minified text.
const styleText = {
  name: 'style-text',
  setup(b) {
    b.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'css', minify: true, target: 'chrome123' });
      return { contents: code.trimEnd(), loader: 'text' };
    });
  }
};

async function bundle(entry, format) {
  const { outputFiles } = await build({
    bundle: true, minify: true, target: 'es2022', charset: 'utf8', legalComments: 'none', write: false,
    plugins: [styleText], entryPoints: [entry], format
  });
  return outputFiles[0].text;
}

// Every saved output carries the page's viewer, so it travels compressed and unpacks itself. The compressor is plain
// JavaScript: the same bytes on every machine, as a committed bundle needs. A viewer that is already there is asked instead.
function selfExtracting(code) {
  const packed = Buffer.from(gzipSync(new TextEncoder().encode(code), { level: 9, mtime: 0 })).toString('base64');
  return `(async()=>{if(window.jaxnbMountAll)return window.jaxnbMountAll();const s=document.createElement("script");`
    + `s.textContent=await new Response(new Blob([Uint8Array.from(atob("${packed}"),c=>c.charCodeAt(0))]).stream()`
    + `.pipeThrough(new DecompressionStream("gzip"))).text();document.head.append(s)})();\n`;
}

const out = new URL('../jaxnb/_static/', import.meta.url);
await mkdir(out, { recursive: true });
const [widget, page] = await Promise.all([bundle('src/widget.ts', 'esm'), bundle('src/page.ts', 'iife')]);
for (const [name, text, plain] of [['widget.js', widget, widget], ['page.js', selfExtracting(page), page]]) {
  if (/<\/script/i.test(text)) throw new Error(`${name} would end the script element it stands in`);
  await writeFile(new URL(name, out), text);
  console.log(`${name}  ${text.length} bytes (unpacked ${plain.length}, gzip ${gzipSync(new TextEncoder().encode(plain), { level: 9 }).length})`);
}
