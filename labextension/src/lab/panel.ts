// The side panel: the compilations in the current notebook, in the order of its cells, read from their outputs.

import type { Cell } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { MIME } from '../model/schema';
import { h } from '../view/dom';
import { reason } from '../view/note';
import { decoded, packed } from './decoded';
import { summarize, Summary } from './history';

interface Found {
  cell: number;
  output: number;
  value: unknown;
}

/** Outputs change in bursts while a cell runs; the list is drawn once they have settled. */
const SETTLE_MS = 150;

export class HistoryPanel extends Widget {
  private readonly body = h('div', {});
  private notebook: NotebookPanel | null = null;
  private timer = 0;
  private turn = 0;
  /** Summaries by packed text: typing in a cell redraws the list, and must not inflate anything again. */
  private summaries = new Map<string, Promise<Summary | string>>();

  constructor(tracker: INotebookTracker | null) {
    super();
    this.id = 'jaxnb-panel';
    this.addClass('jaxnb-panel');
    this.title.caption = 'Compilations of this notebook (jaxnb)';
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', 'Compilations of this notebook');
    this.node.append(h('h2', {}, 'Compilations'), this.body);
    this.follow(tracker?.currentWidget ?? null);
    tracker?.currentChanged.connect((_, current) => this.follow(current));
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.follow(null);
    super.dispose();
  }

  protected onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.soon();
  }

  private follow(notebook: NotebookPanel | null): void {
    if (this.notebook === notebook) return this.soon();
    this.notebook?.content.model?.contentChanged.disconnect(this.soon, this);
    this.notebook = notebook;
    if (notebook) {
      void notebook.context.ready.then(() => {
        if (this.notebook !== notebook) return;
        notebook.content.model?.contentChanged.connect(this.soon, this);
        this.soon();
      });
    }
    this.soon();
  }

  private soon(): void {
    clearTimeout(this.timer);
    if (!this.isDisposed) this.timer = window.setTimeout(() => void this.draw(), SETTLE_MS);
  }

  private async draw(): Promise<void> {
    if (!this.isVisible) return;
    const turn = ++this.turn;
    const { notebook } = this;
    const found = notebook ? explorations(notebook) : [];
    const lines = await Promise.all(this.summarize(found));
    if (turn !== this.turn || this.isDisposed) return;
    if (!notebook) return this.body.replaceChildren(h('p', { class: 'jaxnb-panel-note' }, 'No notebook is open.'));
    if (!found.length) {
      return this.body.replaceChildren(h('p', { class: 'jaxnb-panel-note' }, 'Nothing compiled yet. Run a cell with %%jit or call jaxnb.explore.'));
    }
    this.body.replaceChildren(h('ol', {}, ...lines.map((s, i) => h('li', {}, this.entry(s, found[i], notebook)))));
  }

  private summarize(found: Found[]): Promise<Summary | string>[] {
    const before = this.summaries;
    this.summaries = new Map();
    return found.map(({ value }) => {
      const z = packed(value);
      const line = this.summaries.get(z) ?? before.get(z) ?? decoded(value).then(summarize, reason);
      this.summaries.set(z, line);
      return line;
    });
  }

  private entry(s: Summary | string, at: Found, notebook: NotebookPanel): HTMLElement {
    const go = () => goTo(notebook, at);
    if (typeof s === 'string') return h('button', { type: 'button', class: 'jaxnb-panel-entry', click: go }, h('span', { class: 'jaxnb-panel-line jaxnb-panel-bad' }, s));
    const line = (text: string, bad = false) => text && h('span', { class: `jaxnb-panel-line${bad ? ' jaxnb-panel-bad' : ''}` }, text);
    return h('button', { type: 'button', class: 'jaxnb-panel-entry', click: go },
      h('span', { class: 'jaxnb-panel-name' }, s.title, h('span', { class: 'jaxnb-panel-cell' }, s.cell)),
      line(s.times), line(s.figures), line(s.state, s.bad));
  }
}

/** The exploration outputs of a notebook, from its first cell to its last. */
function explorations(notebook: NotebookPanel): Found[] {
  const found: Found[] = [];
  notebook.content.widgets.forEach((cell, index) => {
    const outputs = outputsOf(cell);
    for (let i = 0; i < (outputs?.length ?? 0); i++) {
      const value = outputs!.get(i).data[MIME];
      if (value !== undefined) found.push({ cell: index, output: i, value });
    }
  });
  return found;
}

interface Outputs {
  readonly length: number;
  get(index: number): { data: Record<string, unknown> };
}

function outputsOf(cell: Cell): Outputs | null {
  return cell.model.type === 'code' ? (cell.model as unknown as { outputs: Outputs }).outputs : null;
}

async function goTo(notebook: NotebookPanel, at: Found): Promise<void> {
  const { content } = notebook;
  content.activeCellIndex = at.cell;
  await content.scrollToItem(at.cell, 'smart').catch(() => undefined); // a cell that is not attached yet
  const cell = content.widgets[at.cell];
  const outputs = cell?.node.querySelectorAll('.jp-OutputArea-child') ?? [];
  outputs[Math.min(at.output, outputs.length - 1)]?.scrollIntoView({ block: 'nearest' });
}
