// Small tokenizers for the four languages, one line at a time: rules tried in order at a position.
// Shared by the panes and by the editor's language modes.

import type { Language } from './schema';

/** k keyword, o operation, t type, v variable, n number, s string, c comment, a attribute, d definition. */
export type Token = 'k' | 'o' | 't' | 'v' | 'n' | 's' | 'c' | 'a' | 'd' | '';

/** State carried from one line to the next: the quote of an open triple-quoted string, else empty. */
export type LineState = string;

type Rule = readonly [RegExp, Token];

const sticky = (source: string): RegExp => new RegExp(source, 'y');

const NUMBER: Rule = [sticky('-?(?:0x[\\da-f]+|\\d[\\d_]*\\.?\\d*(?:e[-+]?\\d+)?j?|inf\\b|nan\\b)'), 'n'];
const STRING: Rule = [sticky('"(?:[^"\\\\]|\\\\.)*"?'), 's'];
const WORD: Rule = [sticky('[A-Za-z_]\\w*'), ''];
const ARRAY_TYPE: Rule = [sticky('(?:key<\\w+>|bool|pred|bf16|token|opaque|[fuisc]\\d\\d?\\d?(?:e\\dm\\d\\w*)?)(?:\\[[^\\]]*\\](?:\\{[^}]*\\})?)'), 't'];

const RULES: Record<Exclude<Language, 'text'>, readonly Rule[]> = {
  python: [
    [sticky('#.*'), 'c'],
    [sticky('[rbfuRBFU]{0,2}(?:"(?:[^"\\\\]|\\\\.)*"?|\'(?:[^\'\\\\]|\\\\.)*\'?)'), 's'],
    [sticky('@[\\w.]+'), 'a'],
    [sticky('(?:and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield|match|case)\\b'), 'k'],
    [sticky('(?:True|False|None|self)\\b'), 'n'],
    [sticky('[A-Za-z_]\\w*(?=\\s*\\()'), 'o'],
    NUMBER, WORD
  ],
  jaxpr: [
    [sticky('#.*'), 'c'],
    STRING,
    [sticky('(?:lambda|let|in)\\b'), 'k'],
    ARRAY_TYPE,
    [sticky('[A-Za-z_]\\w*(?==)'), 'a'],
    [sticky('(?<==\\s)[a-z_]\\w*(?=[ [])'), 'o'],
    [sticky('(?:True|False|None)\\b'), 'n'],
    NUMBER,
    [sticky('[a-z_]\\w*(?=:)'), 'd'],
    [sticky('[A-Za-z_]\\w*'), 'v']
  ],
  mlir: [
    [sticky('//.*'), 'c'],
    STRING,
    [sticky('(?:tensor|memref|vector|tuple)<(?:[^<>]|<[^<>]*>)*>|!\\w[\\w.]*(?:<[^>]*>)?'), 't'],
    [sticky('(?:module|func|return|call|attributes|public|private|dense|loc|dims|cond|do|reducer|across|applies)(?![\\w.])'), 'k'],
    [sticky('[a-z_]\\w*\\.[\\w.]+(?=\\s*=)'), 'a'],
    [sticky('[a-z_]\\w*\\.[\\w.]+'), 'o'],
    [sticky('[%][\\w$.-]+(?:#\\d+)?'), 'v'],
    [sticky('[@^#][\\w$.-]+'), 'd'],
    [sticky('(?:bf16|index|[fiu]+\\d+)\\b'), 't'],
    [sticky('(?:true|false|unit)\\b'), 'n'],
    [sticky('[A-Za-z_]\\w*(?=\\s*=)'), 'a'],
    NUMBER, WORD
  ],
  hlo: [
    [sticky('//.*|/\\*.*?\\*/'), 'c'],
    STRING,
    [sticky('(?:HloModule|ENTRY|ROOT|FileNames|FunctionNames|FileLocations|StackFrames)\\b'), 'k'],
    ARRAY_TYPE,
    [sticky('(?<=[\\]})] )[a-z][\\w-]*(?=\\()'), 'o'],
    [sticky('[A-Za-z_]\\w*(?==)'), 'a'],
    [sticky('%[\\w.-]+'), 'v'],
    [sticky('(?:true|false)\\b'), 'n'],
    NUMBER,
    [sticky('[A-Za-z_][\\w.-]*'), '']
  ]
};

const TRIPLE = /[rbfuRBFU]{0,2}("""|''')/y;

/** End, kind and state after the token that starts at `pos`. Always moves on by at least one character. */
export function nextToken(language: Language, line: string, pos: number, state: LineState): [end: number, token: Token, state: LineState] {
  if (language === 'text') return [line.length, '', ''];
  if (language === 'python') {
    if (state) return closeTriple(line, pos, state);
    TRIPLE.lastIndex = pos;
    const open = TRIPLE.exec(line);
    if (open) return closeTriple(line, TRIPLE.lastIndex, open[1]);
  }
  for (const [rule, token] of RULES[language]) {
    rule.lastIndex = pos;
    if (rule.test(line) && rule.lastIndex > pos) return [rule.lastIndex, token, ''];
  }
  let end = pos + 1;
  while (end < line.length && line[pos] === ' ' && line[end] === ' ') end++;
  return [end, '', ''];
}

function closeTriple(line: string, from: number, quote: string): [number, Token, LineState] {
  const end = line.indexOf(quote, from);
  return end < 0 ? [line.length, 's', quote] : [end + 3, 's', ''];
}

/** Tokens of a line as flat (start, end, kind), plain text left out, and the state after it. */
export function tokenizeLine(language: Language, line: string, state: LineState): { tokens: (number | Token)[]; state: LineState } {
  const tokens: (number | Token)[] = [];
  let pos = 0;
  // A continued string is open even on an empty line.
  while (pos < line.length) {
    const [end, token, next] = nextToken(language, line, pos, state);
    if (token) tokens.push(pos, end, token);
    pos = end;
    state = next;
  }
  return { tokens, state };
}
