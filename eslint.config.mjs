import { readFileSync } from 'node:fs';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

const communityNodes = n8nCommunityNodesPlugin.configs.recommendedWithoutN8nCloudSupport;

/** Two fields wait for somebody who publishes the package. `npm run release` fills in the repository, and asks for the author. */
const { repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const notYet = {
  '@n8n/community-nodes/valid-author': 'off',
  '@n8n/community-nodes/require-homepage': 'off',
};

/** The rooms of lib, and which others each may import: arrows run one way. docs/dev/architecture.md draws them. */
const mayImport = {
  shared: [],
  event: ['shared'],
  signature: ['shared'],
  ledger: ['shared', 'vendor'],
  service: ['shared', 'vendor'],
  receiver: ['event', 'signature', 'ledger', 'shared'],
  rejections: ['receiver', 'ledger', 'shared', 'vendor'],
  follow: ['event', 'service', 'ledger', 'shared', 'vendor'],
  start: ['event', 'ledger', 'shared'],
  accounts: ['follow', 'start', 'event', 'ledger', 'shared', 'vendor'],
  poll: ['accounts', 'follow', 'start', 'event', 'service', 'ledger', 'shared', 'vendor'],
  station: ['accounts', 'follow', 'start', 'event', 'service', 'ledger', 'shared', 'vendor'],
  endpoint: ['service', 'ledger', 'shared', 'vendor'],
};

const forbid = (rooms, message) => ({
  regex: `^(\\.\\./)+(${rooms.join('|')})(/|$)`,
  message,
});

/** Each room of lib has one door. shared and vendor have none, since each of their files stands for itself. */
const throughIndex = {
  regex: `/lib/(${Object.keys(mayImport)
    .filter((room) => room !== 'shared')
    .join('|')})/`,
  message: 'A room of lib is entered through its index.',
};

const walls = (...patterns) => ({
  'no-restricted-imports': [
    'error',
    {
      patterns: [
        ...patterns,
        {
          regex: '^(undici|zod|ioredis)(/|$)',
          message: 'Only lib/vendor imports third-party packages.',
        },
      ],
    },
  ],
});

const wallsOf = (room, allowed) => {
  const others = [...Object.keys(mayImport), 'vendor'].filter(
    (other) => other !== room && !allowed.includes(other),
  );
  return {
    files: [`lib/${room}/**/*.ts`],
    rules: walls(
      { group: ['n8n-*'], message: 'lib is free of n8n.' },
      forbid(['nodes', 'credentials', 'n8n'], 'lib is free of n8n.'),
      forbid(others, `lib/${room} may import ${allowed.join(', ') || 'nothing of lib'}.`),
    ),
  };
};

export default tseslint.config(
  { ignores: ['node_modules/', 'dist/', 'coverage/', 'test/support/n8n/server/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.mjs', '.js'] })],
    },
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'import-x/order': [
        'error',
        {
          groups: ['builtin', 'external', 'parent', ['sibling', 'index']],
          alphabetize: { order: 'asc', caseInsensitive: true },
          'newlines-between': 'never',
        },
      ],
      'import-x/no-duplicates': ['error', { 'prefer-inline': true }],
      // A number in a template string is what the reader expects it to be.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Leaving a field out by naming it beside a rest is how a copy without it is made.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      // No enum, so nothing to assign to one: the rule takes seconds to find that out.
      'no-restricted-syntax': ['error', { selector: 'TSEnumDeclaration', message: 'Use a union.' }],
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      // n8n's own hook and node methods are async by contract, awaiting or not.
      '@typescript-eslint/require-await': 'off',
    },
  },
  ...Object.entries(mayImport).map(([room, allowed]) => wallsOf(room, allowed)),
  {
    files: ['n8n/**/*.ts'],
    rules: walls(forbid(['nodes', 'credentials'], 'n8n/ does not know who uses it.'), throughIndex),
  },
  {
    files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
    rules: walls(throughIndex),
  },
  {
    files: ['nodes/**/*.ts', 'credentials/**/*.ts', 'n8n/**/*.ts'],
    ...communityNodes,
  },
  {
    files: ['package.json'],
    ...communityNodes,
    rules: { ...communityNodes.rules, ...(repository ? {} : notYet) },
    languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
  },
);
