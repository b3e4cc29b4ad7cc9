// Editor modes for jaxpr, MLIR and HLO text, on the tokenizers of the panes.

import { LanguageSupport, StreamLanguage, StreamParser } from '@codemirror/language';
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { Language } from '../model/schema';
import { nextToken, Token } from '../model/tokens';

// JupyterLab's theme colours these tags; it has none for types, which take the one of atoms.
const STYLE: Record<Token, string | null> = {
  k: 'keyword', o: 'operator', t: 'atom', v: 'variableName.special', n: 'number', s: 'string', c: 'comment', a: 'propertyName',
  d: 'variableName.definition', '': null
};

function parser(language: Language, comment: string): StreamParser<object> {
  return {
    name: language,
    startState: () => ({}),
    token(stream) {
      const [end, token] = nextToken(language, stream.string, stream.pos, '');
      stream.pos = end;
      return STYLE[token];
    },
    languageData: { commentTokens: { line: comment } }
  };
}

const MODES: readonly [language: Language, displayName: string, extensions: string[], comment: string][] = [
  ['jaxpr', 'jaxpr', ['jaxpr'], '#'],
  ['mlir', 'MLIR (StableHLO)', ['mlir', 'stablehlo'], '//'],
  ['hlo', 'XLA HLO', ['hlo'], '//']
];

/** Adds the modes that the registry does not have yet. */
export function registerLanguages(registry: IEditorLanguageRegistry): void {
  for (const [language, displayName, extensions, comment] of MODES) {
    if (registry.findByName(language)) continue;
    registry.addLanguage({
      name: language, displayName, mime: [`text/x-${language}`], extensions,
      load: async () => new LanguageSupport(StreamLanguage.define(parser(language, comment)))
    });
  }
}
