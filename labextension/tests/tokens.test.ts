import { describe as suite, expect, test } from 'vitest';
import { Language } from '../src/model/schema';
import { nextToken, tokenizeLine } from '../src/model/tokens';
import { golden } from './golden';

/** Tokens of a line as "text:kind". */
function tokens(language: Language, line: string, state = ''): string[] {
  const { tokens } = tokenizeLine(language, line, state);
  const out: string[] = [];
  for (let i = 0; i < tokens.length; i += 3) out.push(`${line.slice(tokens[i] as number, tokens[i + 1] as number)}:${tokens[i + 2]}`);
  return out;
}

suite('tokens', () => {
  test('jaxpr: binder, type, primitive, parameter, literal', () => {
    expect(tokens('jaxpr', 'd:f32[8,2] = mul 1.5:f32[] c')).toEqual(['d:d', 'f32[8,2]:t', 'mul:o', '1.5:n', 'f32[]:t', 'c:v']);
    expect(tokens('jaxpr', '  name=_where')).toEqual(['name:a', '_where:v']);
    expect(tokens('jaxpr', '{ lambda ; a:key<fry>[]. let')).toEqual(['lambda:k', 'a:d', 'key<fry>[]:t', 'let:k']);
  });

  test('StableHLO: operation, values, types, constants', () => {
    expect(tokens('mlir', '%0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>')).toEqual(
      ['%0:v', 'stablehlo.broadcast_in_dim:o', '%cst:v', 'dims:k', 'tensor<f32>:t', 'tensor<8xf32>:t']);
    expect(tokens('mlir', 'func.func public @main(%arg0: i32) // note')).toEqual(['func.func:o', 'public:k', '@main:d', '%arg0:v', 'i32:t', '// note:c']);
  });

  test('HLO: opcode, operands, attributes, strings', () => {
    expect(tokens('hlo', '  ROOT %f = f32[8]{0} fusion(%x.1), kind=kLoop, metadata={op_name="jit(f)/mul"}')).toEqual(
      ['ROOT:k', '%f:v', 'f32[8]{0}:t', 'fusion:o', '%x.1:v', 'kind:a', 'metadata:a', 'op_name:a', '"jit(f)/mul":s']);
  });

  test('Python: keyword, call, number, comment, strings over several lines', () => {
    expect(tokens('python', 'def f(x): return jnp.exp(x) * 1e-5  # why')).toEqual(['def:k', 'f:o', 'return:k', 'exp:o', '1e-5:n', '# why:c']);
    const open = tokenizeLine('python', 'x = """one', '');
    expect(open.state).toBe('"""');
    expect(tokens('python', 'two""" + y', open.state)).toEqual(['two""":s']);
    expect(tokens('python', "if a < b: s = 'it\\'s'")).toEqual(['if:k', "'it\\'s':s"]);
  });

  test('every rule moves on, whatever the text', () => {
    const text = '<script>"\\ %@#!é漢 \t\' {[( 1.2.3 --';
    for (const language of ['python', 'jaxpr', 'mlir', 'hlo', 'text'] as const) {
      for (let pos = 0, steps = 0; pos < text.length; steps++) {
        const [end] = nextToken(language, text, pos, '');
        expect(end).toBeGreaterThan(pos);
        pos = end;
      }
    }
  });

  test('tokens of the golden documents never overlap', () => {
    for (const { document } of golden().panes) {
      if (!document) continue;
      for (let line = 0; line < document.lineCount; line++) {
        const { tokens } = tokenizeLine(document.language, document.lineText(line), '');
        for (let i = 3; i < tokens.length; i += 3) expect(tokens[i]).toBeGreaterThanOrEqual(tokens[i - 2] as number);
      }
    }
  });
});
