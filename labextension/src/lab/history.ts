// What the side panel says of one compilation. Pure: a model in, words out.

import type { Exploration } from '../model/exploration';
import { plural } from '../model/format';
import type { Stage } from '../model/schema';
import { stages } from '../model/status';

export interface Summary {
  title: string;
  cell: string;
  /** "trace 2.1 ms · lower 1.4 ms · compile 38.0 ms · run 610 µs". */
  times: string;
  /** "24 instructions · 1 fusion". */
  figures: string;
  /** "compile failed", "compiling …"; empty when all went well. */
  state: string;
  bad: boolean;
}

export function summarize(model: Exploration): Summary {
  const views = stages(model.status, model.header, null);
  const odd = views.find(v => v.state !== 'done' && v.state !== 'pending');
  const hlo = model.facts.hlo as { instructions?: unknown; fusions?: unknown } | undefined;
  const figures: string[] = [];
  if (typeof hlo?.instructions === 'number') figures.push(plural(hlo.instructions, 'instruction'));
  if (typeof hlo?.fusions === 'number') figures.push(plural(hlo.fusions, 'fusion'));
  const equations = (model.facts.equations as { total?: unknown } | undefined)?.total;
  if (!figures.length && typeof equations === 'number') figures.push(plural(equations, 'equation'));
  return {
    title: model.title,
    cell: model.cell == null ? '' : `[${model.cell}]`,
    times: views.filter(v => v.time && v.state === 'done').map(v => `${v.stage} ${v.time}`).join(' · '),
    figures: figures.join(' · '),
    state: odd ? words(odd.stage, odd.state) : '',
    bad: odd?.state === 'failed' || odd?.state === 'cancelled'
  };
}

function words(stage: Stage, state: string): string {
  if (state === 'unfinished') return `${stage} not finished`;
  return `${stage} ${state === 'cancelled' ? 'stopped' : state}`;
}
