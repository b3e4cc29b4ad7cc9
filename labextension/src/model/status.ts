// The stages of a compilation as the header and the panes show them.

import { elapsed, seconds } from './format';
import { HeaderEntry, RawStatus, Stage, STAGES, StageState } from './schema';

export interface StageView {
  stage: Stage;
  state: StageState | 'unfinished';
  /** Time taken, or running for; empty when not known. */
  time: string;
  error: string;
}

const VERB: Record<Stage, string> = { trace: 'Tracing', lower: 'Lowering', compile: 'Compiling', run: 'Running' };

/** The clock of a live view in Unix seconds: now, and when the view was drawn, for a stage without a start of its own. */
export interface Clock {
  now: number;
  drawn: number;
}

/** A stage that has been running longer than this was left so by a kernel that is gone. */
const STALE_S = 24 * 3600;

/** Stages in order. Without a clock nothing goes on any more: what was running when it was saved is unfinished. */
export function stages(status: RawStatus, header: readonly HeaderEntry[], clock: Clock | null): StageView[] {
  return STAGES.map(stage => {
    let state: StageView['state'] = status[stage];
    const entry = header.find(e => e.k === stage);
    let time = '';
    if (state === 'running') {
      const ran = clock ? clock.now - (status.since?.[stage] ?? clock.drawn) : Infinity;
      if (ran < STALE_S) time = elapsed(ran);
      else state = 'unfinished';
    } else if (entry && (state === 'done' || state === 'failed')) time = entry.n === undefined ? entry.v : seconds(entry.n);
    return { stage, state, time, error: status.errors?.[stage] ?? '' };
  });
}

/** Header entries that are no stage times: those have their own place. */
export function plainEntries(header: readonly HeaderEntry[]): HeaderEntry[] {
  return header.filter(e => !(STAGES as readonly string[]).includes(e.k));
}

export function isRunning(status: RawStatus): boolean {
  return STAGES.some(s => status[s] === 'running');
}

/** A stage failed or was stopped, so that trying again makes sense. */
export function canRetry(status: RawStatus): boolean {
  return STAGES.some(s => status[s] === 'failed' || status[s] === 'cancelled');
}

/** What a pane without content says in its place. */
export function absence(views: readonly StageView[], stage: Stage): string {
  const at = views.findIndex(v => v.stage === stage);
  const { state, time } = views[at];
  const verb = VERB[stage];
  switch (state) {
    case 'running': return `${verb} … ${time}`;
    case 'unfinished': return `${verb} had not finished when this was saved.`;
    case 'cancelled': return `${verb} was stopped.`;
    case 'failed': return `${verb} failed.`;
    case 'done': return 'Nothing to show.';
  }
  const stop = views.slice(0, at).find(v => v.state === 'failed' || v.state === 'cancelled');
  return stop ? `Not reached: ${VERB[stop.stage].toLowerCase()} ${stop.state === 'failed' ? 'failed' : 'was stopped'}.` : 'Waiting …';
}
