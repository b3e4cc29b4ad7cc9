// The head of a view: what was compiled, how far it has come, its figures, and which panes are open.

import type { Exploration } from '../model/exploration';
import { canRetry, isRunning, plainEntries, StageView } from '../model/status';
import { confirm, copyText, h, iconButton, ICONS } from './dom';

export interface HeaderHost {
  isOpen(id: string): boolean;
  toggle(id: string): void;
  openAll(): void;
  link(): string;
  onStop?: () => void;
  onRetry?: () => void;
}

const GLYPH: Record<StageView['state'], string> = { done: '✓', running: '', unfinished: '…', pending: '○', failed: '✕', cancelled: '⊘' };

export class Header {
  readonly el: HTMLElement;
  private readonly title = h('h2', {});
  private readonly cell = h('span', { class: 'jx-cell' });
  private readonly chips = h('ol', { class: 'jx-chips', 'aria-label': 'Stages' });
  private readonly actions = h('div', { class: 'jx-actions' });
  private readonly figures = h('dl', { class: 'jx-figures' });
  private readonly toggles = h('div', { class: 'jx-toggles', role: 'group', 'aria-label': 'Panes' });
  private readonly message = h('p', { class: 'jx-message', hidden: true });

  constructor(private readonly host: HeaderHost) {
    const link = iconButton('Copy link to the selection', ICONS.link, async () => {
      if (await copyText(host.link())) confirm(link, ICONS.link);
    });
    this.el = h('header', { class: 'jx-head' },
      h('div', { class: 'jx-top' }, this.title, this.cell, this.chips, this.actions),
      this.message,
      h('div', { class: 'jx-bar' }, this.figures, h('div', { class: 'jx-right' }, this.toggles, link)));
  }

  update(model: Exploration, stages: StageView[]): void {
    this.title.textContent = model.title;
    this.cell.textContent = model.cell == null ? '' : `[${model.cell}]`;
    this.cell.hidden = model.cell == null;
    this.chips.replaceChildren(...stages.map(s => h('li', { class: `jx-chip jx-${s.state}`, 'data-stage': s.stage, title: s.error || null },
      s.state === 'running' ? h('span', { class: 'jx-spinner', 'aria-hidden': 'true' }) : h('span', { class: 'jx-glyph', 'aria-hidden': 'true' }, GLYPH[s.state]),
      s.stage, h('span', { class: 'jx-hidden' }, ` ${s.state}`), h('span', { class: 'jx-time' }, s.time))));
    this.chips.hidden = stages.every(s => s.state === 'pending'); // a view of no particular program
    const { onStop, onRetry } = this.host;
    this.actions.replaceChildren();
    if (onStop && isRunning(model.status)) this.actions.append(h('button', { type: 'button', class: 'jx-button', click: onStop }, 'Stop'));
    if (onRetry && canRetry(model.status)) this.actions.append(h('button', { type: 'button', class: 'jx-button', click: onRetry }, 'Retry'));
    this.figures.replaceChildren(...plainEntries(model.header).map(e => h('div', {}, h('dt', {}, e.k), h('dd', { title: e.v }, e.v))));
    const text = model.status.message || model.status.errors?.run || '';
    this.message.textContent = text;
    this.message.hidden = !text;
  }

  /** Refreshes the time of what runs, and nothing else. */
  tick(stages: StageView[]): void {
    stages.forEach((s, i) => {
      const time = this.chips.children[i]?.lastElementChild;
      if (s.state === 'running' && time) time.textContent = s.time;
    });
  }

  showToggles(model: Exploration): void {
    const { host } = this;
    const offered = model.panes.filter(p => model.isOffered(p) || host.isOpen(p.id));
    const all = offered.every(p => host.isOpen(p.id));
    const button = (label: string, on: boolean, click: () => void, id?: string) =>
      h('button', { type: 'button', class: 'jx-toggle', 'aria-pressed': String(on), 'data-toggle': id, click }, label);
    const had = this.toggles.contains(document.activeElement) ? Array.from(this.toggles.children).indexOf(document.activeElement!) : -1;
    this.toggles.replaceChildren(...offered.map(p => button(p.title, host.isOpen(p.id), () => host.toggle(p.id), p.id)),
      button('All', all, () => host.openAll(), 'all'));
    if (had >= 0) (this.toggles.children[had] as HTMLElement | undefined)?.focus();
  }
}
