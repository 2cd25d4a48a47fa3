/**
 * Builds `dist`, which is what n8n loads: first-party code file by file, third-party code in one bundle a vendor file,
 * what has to travel with bundled code (its licences, and a bill of materials for scanners), and the descriptions of the nodes.
 */
const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const esbuild = require('esbuild');
const { dest, parallel, series, src } = require('gulp');

const clean = async () => rmSync('dist', { recursive: true, force: true });

/** File by file, so that a module that keeps state exists once in a process. */
const compile = async () => {
  const tsc = require.resolve('typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
};

/** n8n installs no dependencies for a community package, so each vendor file carries its own. */
const bundleVendor = async () => {
  const { metafile } = await esbuild.build({
    entryPoints: ['lib/vendor/*.ts'],
    outdir: 'dist/lib/vendor',
    bundle: true,
    minify: true,
    keepNames: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    legalComments: 'eof',
    metafile: true,
  });
  const packages = bundledPackages(Object.keys(metafile.inputs));
  writeFileSync('dist/THIRD-PARTY-NOTICES', notices(packages));
  writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(billOfMaterials(packages), null, 2)}\n`);
};

/** The packages that the bundled files come from, and what those contain of others, by name. Throws when one has no licence text. */
function bundledPackages(files) {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const packages = [...new Set(folders.filter((folder) => folder !== undefined))].map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${folder} is bundled and has no licence file.`);
    return { name, version, license, text: readFileSync(join(folder, file), 'utf8').trim() };
  });
  return [...packages, ...files.flatMap(embedded)].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * llhttp as WebAssembly, in a file of undici that names neither version nor licence. undici's repository names the version
 * (`deps/llhttp/include/llhttp.h`); the licence is the same in all versions.
 */
const LLHTTP = {
  file: /\/undici\/lib\/llhttp\/llhttp-wasm\.js$/,
  digest: '344f7ae80c983694372d9234584a1261ef5492ab219d6e573e933f5d1c715b00',
  package: {
    ...{ name: 'llhttp', version: '9.3.0', license: 'MIT' },
    purl: 'pkg:github/nodejs/llhttp@v9.3.0',
  },
};

function embedded(file) {
  if (!LLHTTP.file.test(file)) return [];
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (digest !== LLHTTP.digest) {
    throw new Error(`${file} has changed: look up its version of llhttp, and correct LLHTTP.`);
  }
  return [{ ...LLHTTP.package, text: mit('Copyright Fedor Indutny, 2018.') }];
}

const mit = (copyright) => `This software is licensed under the MIT License.

${copyright}

Permission is hereby granted, free of charge, to any person obtaining a
copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including
without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the
following conditions:

The above copyright notice and this permission notice shall be included
in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS
OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN
NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE
USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const notices = (packages) =>
  [
    'This package contains the following third-party software.',
    ...packages.map(
      ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}`,
    ),
  ].join(`\n\n${'-'.repeat(80)}\n\n`) + '\n';

/** CycloneDX 1.6 without a time or a serial number, so that two builds are the same. */
const billOfMaterials = (packages) => {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const component = (type, { name, version, purl: known }) => {
    const purl = known ?? `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { type, 'bom-ref': purl, name, version, purl };
  };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component('application', { name, version }) },
    components: packages.map((each) => ({
      ...component('library', each),
      licenses: [{ license: { id: each.license } }],
    })),
  };
};

const copyAssets = () =>
  src(['nodes/**/*.{svg,json}', 'credentials/**/*.svg'], { base: '.', encoding: false }).pipe(
    dest('dist'),
  );

/** What n8n reads at its start instead of loading each node: `dist/known`, `dist/types` and `dist/methods`. */
const describe = async () => {
  const script = require.resolve('n8n-core/bin/generate-metadata');
  execFileSync(process.execPath, [script], { stdio: 'inherit' });
};

exports.default = series(clean, compile, parallel(bundleVendor, copyAssets), describe);
