/** Builds `dist`, which is what n8n loads: first-party code file by file, third-party code in one bundle a vendor file. */
const { execFileSync } = require('node:child_process');
const { rmSync } = require('node:fs');
const esbuild = require('esbuild');
const { dest, parallel, series, src } = require('gulp');

const clean = async () => rmSync('dist', { recursive: true, force: true });

/** File by file, so that a module that keeps state exists once in a process. */
const compile = async () => {
  execFileSync(
    process.execPath,
    [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json'],
    {
      stdio: 'inherit',
    },
  );
};

/** n8n installs no dependencies for a community package, so each vendor file carries its own. */
const bundleVendor = async () => {
  await esbuild.build({
    entryPoints: ['lib/vendor/*.ts'],
    outdir: 'dist/lib/vendor',
    bundle: true,
    minify: true,
    keepNames: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    legalComments: 'eof',
  });
};

const copyAssets = () =>
  src(['nodes/**/*.{svg,json}', 'credentials/**/*.svg'], { base: '.', encoding: false }).pipe(
    dest('dist'),
  );

exports.default = series(clean, compile, parallel(bundleVendor, copyAssets));
