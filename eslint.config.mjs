import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import tseslint from 'typescript-eslint';

const communityNodes = n8nCommunityNodesPlugin.configs.recommendedWithoutN8nCloudSupport;

export default tseslint.config(
  { ignores: ['node_modules/', 'dist/', 'coverage/', 'test/support/n8n/server/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // A number in a template string is what the reader expects it to be.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Leaving a field out by naming it beside a rest is how a copy without it is made.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      // n8n's own hook and node methods are async by contract, awaiting or not.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    // The walls of the house: lib knows nothing of n8n, its rooms nothing of each other, and third parties come in by vendor.
    files: ['lib/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['n8n-*', '**/nodes/**', '**/credentials/**'],
              message: 'lib is free of n8n.',
            },
            {
              regex: '^\\.\\./(\\.\\./)*(api|signature|ledger|event|registration)(/|$)',
              message: 'The parts of lib do not import each other.',
            },
            {
              regex: '^(undici|zod|ioredis)(/|$)',
              message: 'Third-party packages are imported by lib/vendor alone.',
            },
          ],
        },
      ],
    },
  },
  // The one place where third parties come in.
  { files: ['lib/vendor/**/*.ts'], rules: { 'no-restricted-imports': 'off' } },
  {
    files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
    ...communityNodes,
  },
  {
    files: ['package.json'],
    ...communityNodes,
    languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
  },
);
