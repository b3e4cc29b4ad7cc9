// The whole view of one exploration in one element. The three entries differ only in where the model comes from.

import { Exploration, isFilled, Pane } from '../model/exploration';
import { addressOf, itemAt, Link, linkName, writeLink } from '../model/selection';
import { isRunning, stages, StageView } from '../model/status';
import { h } from './dom';
import { Header } from './header';
import { PaneFrame } from './pane';
import { Highlight } from './highlight';
import { StatusLine } from './statusline';

export interface ViewOptions {
  /** A stage may still be running: show its clock. A saved view says "unfinished" instead. */
  live?: boolean;
  /** Fill the element's height (a page of its own) instead of growing with the content (a cell's output). */
  fill?: boolean;
  /** Selection and panes to begin with. */
  link?: Link | null;
  /** What "copy link" copies for a hash fragment; the fragment itself when left out. */
  linkFor?: (fragment: string) => string;
  /** Told the fragment whenever the pin changes. */
  onPin?: (fragment: string) => void;
  onStop?: () => void;
  onRetry?: () => void;
}

export interface ViewHandle {
  update(model: Exploration): void;
  /** Goes to a selection. */
  go(link: Link): void;
  dispose(): void;
}

/** Narrower than this, panes stand one below the other and only the first few are open. */
const NARROW = 700;
const PANE_WIDTH = 340;
/** Four and more panes stand in two rows rather than in one of panes narrower than this: a line of code is to be read whole. */
const EASY_WIDTH = 420;
/** A difference has two texts side by side, and some tables have many columns. */
const WIDE_PANE = 600;
const MANY_COLUMNS = 6;
const AT_FIRST_WHEN_NARROW = ['source', 'jaxpr', 'hlo'];

/** Draws an exploration in `el` and returns the handle that updates and removes it. */
export function mountExploration(el: HTMLElement, model: Exploration, options: ViewOptions = {}): ViewHandle {
  const view = new View(el, model, options);
  return { update: m => view.update(m), go: link => view.go(link), dispose: () => view.dispose() };
}

class View {
  private readonly root = h('div', { class: 'jaxnb', role: 'region' });
  private readonly panes = h('div', { class: 'jx-panes' });
  private readonly highlight: Highlight;
  private readonly header: Header;
  private readonly status: StatusLine;
  private readonly observer: ResizeObserver;
  private frames: PaneFrame[] = [];
  private open = new Set<string>();
  /** Whether somebody chose the open panes; until the width is known, nobody has. */
  private isChosen: boolean;
  private solo: string | null = null;
  private since = Date.now() / 1000;
  private clock = 0;

  constructor(el: HTMLElement, model: Exploration, private readonly options: ViewOptions) {
    this.highlight = new Highlight(model);
    this.header = new Header({
      isOpen: id => this.open.has(id), toggle: id => this.toggle(id), openAll: () => this.openAll(), link: () => this.link(),
      onStop: options.onStop, onRetry: options.onRetry
    });
    this.status = new StatusLine(this.highlight, pane => this.open.has(this.highlight.model.panes[pane].id));
    this.root.classList.toggle('jx-fill', !!options.fill);
    this.root.addEventListener('keydown', e => {
      if (e.key === 'Escape' && !e.defaultPrevented) this.highlight.setPin(null); // from the head, outside any pane
    });
    this.root.append(this.header.el, this.panes, this.grip(), this.status.el);
    el.append(this.root);
    const wished = options.link?.panes.length ? options.link.panes : model.raw.open;
    this.open = new Set(wished ?? model.panes.map(p => p.id));
    this.isChosen = !!wished;
    this.highlight.onPaint(() => this.paint());
    this.highlight.onPin(() => this.pinChanged());
    this.observer = new ResizeObserver(() => this.resized());
    this.show(model);
    this.observer.observe(this.root);
    if (options.link) this.go(options.link);
  }

  update(model: Exploration): void {
    this.highlight.replace(model);
    this.show(model);
  }

  go(link: Link): void {
    const item = link.at ? itemAt(this.highlight.model, link.at) : null;
    if (link.panes.length) {
      this.open = new Set(link.panes);
      this.isChosen = true;
    }
    if (item) this.open.add(this.highlight.model.panes[item.pane].id);
    this.layout();
    this.highlight.setPin(item);
    if (item) for (const f of this.frames) if (this.open.has(f.id)) f.content?.revealLit();
  }

  dispose(): void {
    clearInterval(this.clock);
    this.observer.disconnect();
    for (const f of this.frames) f.dispose();
    this.root.remove();
  }

  // ---- showing a model

  private show(model: Exploration): void {
    this.root.setAttribute('aria-label', `Compilation of ${model.title}`);
    const views = this.stages();
    this.header.update(model, views);
    if (this.frames.some((f, i) => f.id !== model.panes[i]?.id)) {
      for (const f of this.frames.splice(0)) {
        f.dispose();
        f.el.remove();
      }
    }
    while (this.frames.length < model.panes.length) {
      const index = this.frames.length;
      const frame = new PaneFrame({ highlight: this.highlight, toggleSolo: id => this.toggleSolo(id) }, index, model.panes[index]);
      this.frames.push(frame);
      this.panes.append(frame.el);
      this.observer.observe(frame.el);
    }
    this.layout();
    this.frames.forEach(f => f.update(model, views));
    this.paint();
    clearInterval(this.clock);
    if (this.options.live && isRunning(model.status)) this.clock = window.setInterval(() => this.tick(), 500);
    markPainted(model);
  }

  private stages(): StageView[] {
    const { status, header } = this.highlight.model;
    return stages(status, header, this.options.live ? { now: Date.now() / 1000, drawn: this.since } : null);
  }

  private tick(): void {
    const views = this.stages();
    this.header.tick(views);
    for (const f of this.frames) f.tick(views);
  }

  private paint(): void {
    for (const f of this.frames) if (this.isShown(f.id)) f.paint();
    this.status.paint();
  }

  private pinChanged(): void {
    const { pin } = this.highlight;
    if (pin) for (const f of this.frames) if (this.isShown(f.id) && this.highlight.model.panes[pin.pane].id !== f.id) f.content?.revealLit();
    this.options.onPin?.(this.fragment());
  }

  // ---- which panes, and how large

  private isShown(id: string): boolean {
    return this.solo ? this.solo === id : this.open.has(id);
  }

  private toggle(id: string): void {
    this.solo = null;
    if (!this.open.delete(id)) this.open.add(id);
    if (!this.open.size) this.open.add(id); // the last one stays
    this.layout();
    this.paint();
  }

  private openAll(): void {
    this.solo = null;
    const { model } = this.highlight;
    this.open = new Set(model.panes.filter(p => model.isOffered(p)).map(p => p.id));
    this.layout();
    this.paint();
  }

  private toggleSolo(id: string): void {
    this.solo = this.solo === id ? null : id;
    this.layout();
    this.paint();
  }

  private layout(): void {
    const { model } = this.highlight;
    this.frames.forEach(f => {
      f.el.hidden = !this.isShown(f.id);
      f.showSolo(this.solo === f.id);
    });
    this.panes.classList.toggle('jx-alone', !!this.solo);
    this.header.showToggles(model);
    this.resized();
  }

  private resized(): void {
    const width = this.root.clientWidth;
    if (!width) return;
    if (!this.isChosen) {
      this.isChosen = true;
      if (width < NARROW) {
        this.open = new Set(AT_FIRST_WHEN_NARROW);
        return this.layout();
      }
    }
    const { panes } = this.highlight.model;
    const open = panes.filter(p => this.isShown(p.id));
    const shown = open.length;
    const least = open.some(isWide) ? WIDE_PANE : PANE_WIDTH;
    const most = Math.max(1, Math.min(shown, Math.floor(width / least)));
    const cramped = shown > 3 && most >= shown && width / shown < EASY_WIDTH;
    const rows = cramped ? 2 : Math.ceil(shown / most);
    this.panes.style.setProperty('--jx-columns', String(Math.ceil(shown / rows))); // 4 panes in 3 columns: 2 and 2
    this.panes.style.setProperty('--jx-rows', String(rows));
    this.panes.dataset.rows = String(Math.min(rows, 4));
    this.root.classList.toggle('jx-narrow', width < NARROW);
    for (const f of this.frames) if (this.isShown(f.id)) f.content?.resized();
  }

  /** A bar below the panes that sets their height. */
  private grip(): HTMLElement {
    const set = (px: number) => {
      this.panes.classList.add('jx-sized');
      this.panes.style.setProperty('--jx-height', `${Math.round(Math.max(90, Math.min(1600, px)))}px`);
      bar.setAttribute('aria-valuenow', String(Math.round(height())));
    };
    const height = () => this.frames.find(f => this.isShown(f.id))?.el.clientHeight ?? 300;
    let from: { y: number; h: number } | null = null;
    const bar = h('div', {
      class: 'jx-grip', role: 'separator', tabindex: 0, 'aria-orientation': 'horizontal', 'aria-label': 'Height of the panes', 'aria-valuenow': 300,
      'data-lm-suppress-shortcuts': 'true',
      pointerdown: (e: PointerEvent) => { from = { y: e.clientY, h: height() }; bar.setPointerCapture(e.pointerId); },
      pointermove: (e: PointerEvent) => { if (from) set(from.h + (e.clientY - from.y) / Number(this.panes.dataset.rows ?? 1)); },
      pointerup: () => { from = null; },
      keydown: (e: KeyboardEvent) => {
        if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') return;
        set(height() + (e.key === 'ArrowDown' ? 36 : -36));
        e.preventDefault();
        e.stopPropagation();
      }
    });
    return bar;
  }

  // ---- links

  private fragment(): string {
    const { model, pin } = this.highlight;
    const panes = model.panes.map(p => p.id).filter(id => this.open.has(id));
    return writeLink({ name: linkName(model), at: pin ? addressOf(model, pin) : '', panes: panes.length === model.panes.length ? [] : panes });
  }

  private link(): string {
    const fragment = this.fragment();
    return this.options.linkFor?.(fragment) ?? `#${fragment}`;
  }
}

function isWide(pane: Pane): boolean {
  const raw = pane.panel?.raw;
  return raw?.kind === 'diff' || (raw?.kind === 'table' && raw.columns.length >= MANY_COLUMNS);
}

/** Leaves a performance mark once what was drawn has been painted, so that first-view times can be read in the page. */
function markPainted(model: Exploration): void {
  requestAnimationFrame(() => setTimeout(() => {
    performance.mark('jaxnb:painted', { detail: { title: model.title, panes: model.panes.filter(isFilled).map(p => p.id) } });
  }));
}
