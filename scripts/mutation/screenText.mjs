/** Ignores texts of a description that only people read: tests should not pin them. */
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const READ_BY_PEOPLE = new Set([
  'action',
  'activationHint',
  'description',
  'displayName',
  'documentationUrl',
  'hint',
  'multipleValueButtonText',
  'placeholder',
]);

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'screen-text', {
    shouldIgnore(path) {
      if (!path.isObjectProperty() && !path.isClassProperty()) return undefined;
      const { key, value } = path.node;
      const isText = value?.type === 'StringLiteral' || value?.type === 'TemplateLiteral';
      return isText && READ_BY_PEOPLE.has(key.name) ? 'read by people only' : undefined;
    },
  }),
];
