/**
 * Builds `dist`, which is what n8n loads: first-party code file by file, third-party code in one bundle a vendor file,
 * what has to travel with bundled code (its licences, and a bill of materials for scanners), and the descriptions of the nodes.
 */
const { execFileSync } = require('node:child_process');
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

/** The packages that the bundled files come from, by name. Throws when one has no licence text. */
function bundledPackages(files) {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))]
    .map((folder) => {
      const { name, version, license } = JSON.parse(
        readFileSync(join(folder, 'package.json'), 'utf8'),
      );
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      if (file === undefined) throw new Error(`${folder} is bundled and has no licence file.`);
      return { name, version, license, text: readFileSync(join(folder, file), 'utf8').trim() };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

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
  const component = (type, { name, version }) => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
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
