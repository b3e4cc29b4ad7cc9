import { describe as suite, expect, test } from 'vitest';
import { arrowPath, edgePath, fitText, midPoint, nodeTowards, freeLabels } from '../src/layout/edges';
import { lineNear, neighbourHit, rulerMarks } from '../src/layout/ruler';
import { Piece, rowPieces } from '../src/layout/segments';
import { contains, firstBox, fitBox, overlaps, resizeBox, revealBox, zoomBox } from '../src/layout/viewbox';
import { rowWindow, scrollFor, scrollLeftFor } from '../src/layout/window';
import { golden } from './golden';

suite('window of rows', () => {
  test('only rows in and around the view are drawn', () => {
    expect(rowWindow(0, 180, 18, 50_000)).toEqual([0, 18]);
    expect(rowWindow(900_000 - 180, 180, 18, 50_000)).toEqual([49_982, 50_000]);
    expect(rowWindow(0, 180, 18, 3)).toEqual([0, 3]);
    expect(rowWindow(0, 0, 18, 0)).toEqual([0, 0]);
  });

  test('a row in view needs no scrolling, a near one little, a far one a jump', () => {
    expect(scrollFor(5, 0, 180, 18, 100)).toBe(0);
    expect(scrollFor(10, 0, 180, 18, 100)).toBe(54);
    expect(scrollFor(50, 0, 180, 18, 100)).toBe(840);
    expect(scrollFor(99, 0, 180, 18, 100)).toBe(1620);
  });
});

suite('sideways', () => {
  test('columns in view need no scrolling, others the least that shows them, long ones their beginning', () => {
    expect(scrollLeftFor(10, 20, 0, 100)).toBe(0);
    expect(scrollLeftFor(90, 120, 0, 160)).toBe(0);
    expect(scrollLeftFor(300, 320, 0, 160)).toBe(180);
    expect(scrollLeftFor(300, 320, 400, 160)).toBe(280);
    expect(scrollLeftFor(30, 5000, 0, 160)).toBe(0);
    expect(scrollLeftFor(14, 5000, 90, 160)).toBe(0);
  });
});

suite('overview ruler', () => {
  test('a short text has its marks beside its lines', () => {
    expect(rulerMarks(Int32Array.of(1, 4), 10, 400, 18)).toEqual([{ y: 18, height: 17, line: 1, count: 1 }, { y: 72, height: 17, line: 4, count: 1 }]);
  });

  test('marks of a long text merge instead of covering each other', () => {
    const marks = rulerMarks(Int32Array.from({ length: 50_000 }, (_, i) => i), 50_000, 300, 18);
    expect(marks).toEqual([{ y: 0, height: 300, line: 0, count: 50_000 }]);
    expect(rulerMarks(Int32Array.of(0, 1, 49_999), 50_000, 300, 18)).toEqual([{ y: 0, height: 3.006, line: 0, count: 2 }, { y: 297, height: 3, line: 49_999, count: 1 }]);
  });

  test('a click goes to the nearest hit, and stepping goes round', () => {
    const lines = Int32Array.of(10, 500, 900);
    expect(lineNear(lines, 160, 1000, 300, 18)).toBe(500);
    expect(lineNear(Int32Array.of(), 160, 1000, 300, 18)).toBe(-1);
    expect([neighbourHit(lines, 10, 1), neighbourHit(lines, 900, 1), neighbourHit(lines, 10, -1), neighbourHit(Int32Array.of(), 1, 1)]).toEqual([500, 10, 900, -1]);
  });
});

suite('pieces of a row', () => {
  const show = (pieces: Piece[]) => pieces.map(p => ('open' in p ? `<${p.open}` : 'close' in p ? '>' : `${p.from}-${p.to}${p.token}${p.mark || ''}`)).join(' ');
  const spans = (...list: [number, number][]) => ({ col0: list.map(s => s[0]), col1: list.map(s => s[1]), from: 0, to: list.length });

  test('spans nest, tokens and marks cut the text between', () => {
    expect(show(rowPieces(10, spans([0, 8], [2, 4]), [0, 3, 'k'], [{ from: 7, to: 9, kind: 2 }]))).toBe('<0 0-2k <1 2-3k 3-4 > 4-7 7-82 > 8-92 9-10');
  });

  test('spans beside each other and beyond the text', () => {
    expect(show(rowPieces(5, spans([0, 2], [2, 4], [4, 9], [7, 9]), [], []))).toBe('<0 0-2 > <1 2-4 > <2 4-5 >');
  });

  test('a span that leaves its outer one is cut to it', () => {
    expect(show(rowPieces(6, spans([0, 4], [2, 6]), [], []))).toBe('<0 0-2 <1 2-4 > > 4-6');
  });

  test('a row without anything is one piece, an empty row none', () => {
    expect(show(rowPieces(4, spans(), [], []))).toBe('0-4');
    expect(rowPieces(0, spans(), [], [])).toEqual([]);
  });

  test('pieces of every row of the golden model give its text back', () => {
    for (const { document } of golden().panes) {
      if (!document) continue;
      for (let line = 0; line < document.lineCount; line++) {
        const text = document.lineText(line);
        const [from, to] = document.spansOn(line);
        const pieces = rowPieces(text.length, { col0: document.col0, col1: document.col1, from, to }, [], []);
        expect(pieces.map(p => ('from' in p ? text.slice(p.from, p.to) : '')).join('')).toBe(text);
        expect(pieces.filter(p => 'open' in p).length).toBe(to - from);
        expect(pieces.filter(p => 'close' in p).length).toBe(to - from);
      }
    }
  });
});

suite('view of a graph', () => {
  test('a small graph is shown at its own size, in the middle', () => {
    expect(fitBox(100, 50, 400, 300)).toEqual({ x: -150, y: -125, w: 400, h: 300 });
  });

  test('a large graph is fitted, but first shown readable and from its top', () => {
    const fit = fitBox(400, 8000, 400, 300);
    expect(contains(fit, { x: 0, y: 0, w: 400, h: 8000 })).toBe(true);
    const first = firstBox(400, 8000, 400, 300);
    expect(first.y).toBe(-16);
    expect(400 / first.w).toBeGreaterThanOrEqual(0.5);
  });

  test('where not all fits, the nodes at the top are in the middle', () => {
    const first = firstBox(4000, 8000, 400, 300, [{ x: 3000, y: 0, w: 100, h: 40 }, { x: 10, y: 7000, w: 100, h: 40 }]);
    expect(first.x + first.w / 2).toBe(3050);
  });

  test('a label that would lie on another is left out', () => {
    const at = (x: number) => ({ x, y: 0, w: 50, h: 10 });
    expect(freeLabels([at(0), at(30), at(60)])).toEqual([true, false, true]);
  });

  test('zooming keeps the point under the pointer', () => {
    const box = { x: 0, y: 0, w: 400, h: 300 };
    const near = zoomBox(box, 2, 0.25, 0.5, 400);
    expect(near).toEqual({ x: 50, y: 75, w: 200, h: 150 });
    expect(zoomBox(box, 1e9, 0, 0, 400).w).toBeCloseTo(400 / 3);
  });

  test('a node out of view is brought to the middle, one in view stays', () => {
    const box = { x: 0, y: 0, w: 400, h: 300 };
    expect(revealBox(box, { x: 10, y: 10, w: 50, h: 20 })).toBe(box);
    expect(revealBox(box, { x: 1000, y: 500, w: 100, h: 40 })).toEqual({ x: 850, y: 370, w: 400, h: 300 });
    expect(resizeBox(box, 400, 800, 300)).toEqual({ x: -200, y: 0, w: 800, h: 300 });
    expect(overlaps(box, { x: 400, y: 0, w: 5, h: 5 })).toBe(false);
  });

  test('edges bend at their points, arrows point where the edge comes in', () => {
    expect(edgePath([0, 0, 0, 10])).toBe('M0 0L0 10');
    expect(edgePath([0, 0, 0, 10, 10, 10])).toBe('M0 0Q0 10 10 10');
    expect(edgePath([0, 0])).toBe('');
    expect(arrowPath([0, 0, 0, 20])).toBe('M0 20L-3 14L3 14Z');
    expect(arrowPath([5, 5, 5, 5])).toBe('');
    expect(midPoint([0, 0, 10, 0, 10, 10])).toEqual([10, 0]);
    expect([fitText('multiply', 100, 7), fitText('multiply', 35, 7)]).toEqual(['multiply', 'mult…']);
  });

  test('arrow keys go to the nearest node ahead', () => {
    const nodes = golden().panes[4].graph!.nodesOf('g1');
    const id = (from: string, dx: number, dy: number) => {
      const to = nodeTowards(nodes, nodes.findIndex(n => n.id === from), dx, dy);
      return to < 0 ? null : nodes[to].id;
    };
    expect([id('exp.0', 0, 1), id('mul.2', 0, -1), id('add.1', 1, 0), id('mul.0', 0, 1)]).toEqual(['mul.2', 'exp.0', 'gt.0', null]);
  });
});
