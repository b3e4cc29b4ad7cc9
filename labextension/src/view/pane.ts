// The frame of one pane: title, tools, find box, and either its content or what stands in its place.

import type { Exploration, Pane } from '../model/exploration';
import { absence, StageView } from '../model/status';
import type { Content, FindResult } from './content';
import { confirm, copyText, h, icon, iconButton, ICONS } from './dom';
import { GraphView } from './graphview';
import type { Highlight } from './highlight';
import { panelView } from './panelview';
import { TextView } from './textview';

export interface PaneHost {
  highlight: Highlight;
  /** Shows this pane alone and large, or all open ones again. */
  toggleSolo(id: string): void;
}

export class PaneFrame {
  readonly el: HTMLElement;
  readonly id: string;
  content: Content | null = null;
  private readonly name = h('h3', {});
  private readonly size = h('span', { class: 'jx-size' });
  private readonly hits = h('span', { class: 'jx-hits' });
  private readonly hitText = h('span', {});
  private readonly tools = h('div', { class: 'jx-tools' });
  private readonly findRow: HTMLElement;
  private readonly findInput: HTMLInputElement;
  private readonly findCount = h('span', { class: 'jx-find-count', role: 'status' });
  private readonly slot = h('div', { class: 'jx-slot' });
  private readonly soloTool: HTMLButtonElement;
  private readonly copyTool: HTMLButtonElement;
  private source: Pane | null = null;
  private drawnAs = '';

  constructor(private readonly host: PaneHost, private readonly index: number, pane: Pane) {
    this.id = pane.id;
    this.findInput = h('input', {
      type: 'search', class: 'jx-input', placeholder: 'Find', 'aria-label': `Find in ${pane.title}`, spellcheck: 'false', autocomplete: 'off',
      input: () => this.showFound(this.content?.find(this.findInput.value)),
      keydown: (e: KeyboardEvent) => this.findKey(e)
    });
    this.findRow = h('div', { class: 'jx-find', hidden: true, 'data-lm-suppress-shortcuts': 'true' }, icon(ICONS.find), this.findInput, this.findCount,
      iconButton('Previous match', ICONS.up, () => this.showFound(this.content?.stepFind(-1))),
      iconButton('Next match', ICONS.down, () => this.showFound(this.content?.stepFind(1))),
      iconButton('Close find', ICONS.close, () => this.closeFind()));
    this.hits.append(this.hitText,
      iconButton('Previous linked line', ICONS.up, () => this.content?.stepHit(-1), 'p'),
      iconButton('Next linked line', ICONS.down, () => this.content?.stepHit(1), 'n'));
    this.hits.hidden = true;
    this.soloTool = iconButton('Show alone', ICONS.solo, () => host.toggleSolo(this.id), 'f');
    this.copyTool = iconButton(pane.id === 'graph' ? 'Copy as DOT' : 'Copy', ICONS.copy, () => void this.copy(), 'c');
    this.tools.append(iconButton('Find', ICONS.find, () => this.openFind(), '/'), this.copyTool, this.soloTool);
    this.el = h('section', { class: 'jx-pane', 'data-pane': pane.id, 'aria-label': pane.title, keydown: (e: KeyboardEvent) => this.key(e) },
      h('header', { class: 'jx-pane-head', dblclick: (e: MouseEvent) => { if (!(e.target as Element).closest('button')) host.toggleSolo(this.id); } },
        this.name, this.size, this.hits, this.tools),
      this.findRow, this.slot);
  }

  /** Shows a model's pane; content stays when the model's text or graph is the same as before. */
  update(model: Exploration, views: StageView[]): void {
    const pane = model.panes[this.index];
    const stage = views.find(v => v.stage === pane.stage)!;
    const drawAs = `${stage.state}\n${stage.error}`;
    this.name.textContent = pane.title;
    const same = this.source && this.content && sameContent(this.source, pane);
    const place = this.content?.place();
    if (!same || this.drawnAs !== drawAs) {
      const box = stage.error && pane.id !== 'source' && !pane.panel ? this.errorBox(stage) : null;
      this.content?.dispose();
      this.content = pane.document ? new TextView(this.host.highlight, this.index, pane.document)
        : pane.graph ? new GraphView(this.host.highlight, this.index, pane.graph)
        : pane.panel ? panelView(this.host.highlight, this.index, pane.panel) : null;
      this.slot.replaceChildren(...[box, this.content?.el ?? (box ? null : this.placeholder(views, stage))].filter(e => e !== null));
      this.content?.resized();
      this.content?.restore(place);
    } else this.content?.resized();
    this.source = pane;
    this.drawnAs = drawAs;
    this.tools.hidden = !this.content;
    if (!this.findRow.hidden) this.showFound(this.content?.find(this.findInput.value));
    this.paint();
  }

  /** Refreshes the elapsed time of a stage that is awaited here. */
  tick(views: StageView[]): void {
    const text = this.slot.querySelector('.jx-wait');
    if (text && this.source) text.textContent = absence(views, this.source.stage);
  }

  paint(): void {
    this.content?.paint();
    const text = this.content?.hits() ?? '';
    this.hits.hidden = !text;
    this.size.hidden = !!text;
    this.size.textContent = this.content?.size ?? '';
    if (text) this.hitText.textContent = text;
  }

  showSolo(on: boolean): void {
    const label = on ? 'Show all open panes' : 'Show alone';
    this.soloTool.setAttribute('aria-pressed', String(on));
    this.soloTool.setAttribute('aria-label', label);
    this.soloTool.title = `${label} (f)`;
  }

  focus(): void {
    this.content?.focus();
  }

  dispose(): void {
    this.content?.dispose();
  }

  private async copy(): Promise<void> {
    if (this.content && (await copyText(this.content.textToCopy()))) confirm(this.copyTool, ICONS.copy);
  }

  private errorBox(stage: StageView): HTMLElement {
    const NAMES = { trace: 'Tracing failed', lower: 'Lowering failed', compile: 'Compiling failed', run: 'Running failed' };
    return h('div', { class: 'jx-error', role: 'note', tabindex: 0, 'data-lm-suppress-shortcuts': 'true' }, h('strong', {}, NAMES[stage.stage]), h('pre', {}, stage.error));
  }

  private placeholder(views: StageView[], stage: StageView): HTMLElement {
    return h('div', { class: 'jx-empty' }, stage.state === 'running' && h('span', { class: 'jx-spinner', 'aria-hidden': 'true' }),
      h('span', { class: 'jx-wait' }, absence(views, stage.stage)));
  }

  // ---- find

  private openFind(): void {
    if (!this.content) return;
    this.findRow.hidden = false;
    this.findInput.focus({ preventScroll: true });
    this.findInput.select();
    this.content.resized();
  }

  private closeFind(): void {
    this.findRow.hidden = true;
    this.content?.find('');
    this.content?.resized();
    this.focus();
  }

  private showFound(found: FindResult | undefined): void {
    if (!found) return;
    const { count, current, more } = found;
    this.findCount.textContent = this.findInput.value ? (count ? `${current} of ${count}${more ? '+' : ''}` : 'none') : '';
    this.findRow.classList.toggle('jx-none', !!this.findInput.value && !count);
  }

  private findKey(e: KeyboardEvent): void {
    e.stopPropagation(); // letters belong to the box, not to the notebook
    if (e.key === 'Enter') this.showFound(this.content?.stepFind(e.shiftKey ? -1 : 1));
    else if (e.key === 'Escape') this.closeFind();
    else return;
    e.preventDefault();
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const { highlight } = this.host;
    if (e.key === '/' && this.content) this.openFind();
    else if (e.key === 'c') void this.copy();
    else if (e.key === 'f') {
      this.host.toggleSolo(this.id);
      this.focus();
    } else if (e.key === 'Escape' && !this.findRow.hidden) this.closeFind();
    else if (e.key === 'Escape' && highlight.pin) highlight.setPin(null);
    else if (e.key === 'Escape' && highlight.hover) highlight.setHover(null);
    else {
      // Plain letters would be commands of the notebook around us.
      if (e.key.length === 1) e.stopPropagation();
      return;
    }
    e.preventDefault();
    e.stopPropagation();
  }
}

function sameContent(a: Pane, b: Pane): boolean {
  if (a.document && b.document) {
    const [p, q] = [a.document, b.document];
    return p.text === q.text && p.language === q.language && p.firstLine === q.firstLine && p.set.length === q.set.length
      && p.set.every((s, i) => s === q.set[i] && p.line[i] === q.line[i] && p.col0[i] === q.col0[i] && p.col1[i] === q.col1[i]);
  }
  return !!a.panel && !!b.panel && JSON.stringify(a.panel.raw) === JSON.stringify(b.panel.raw);
}
