// The fused graph: one group at a time, drawn from given positions, with a path of groups above it and a list beside it.

import { arrowPath, boundsOf, edgePath, fitText, freeLabels, midPoint, nodeTowards } from '../layout/edges';
import { Box, contains as holds, firstBox, fitBox, grow, overlaps, resizeBox, revealBox, zoomBox } from '../layout/viewbox';
import type { Graph, GraphNode } from '../model/exploration';
import { TextDocument } from '../model/document';
import { plural } from '../model/format';
import { contains } from '../model/search';
import type { Content, FindResult } from './content';
import { h, iconButton, ICONS, svg } from './dom';
import { HOT, LIT, PIN, Highlight, showState } from './highlight';
import { TextView } from './textview';

const LABEL_CHAR = 7.3;
const SUB_CHAR = 6.1;
/** Above this many nodes only those in and around the view are in the page. */
const CULL_ABOVE = 500;
const EDGE_LABEL_SCALE = 0.6;
const DRAG_AFTER = 4;

interface Place {
  group: string;
  box: Box | null;
  list: boolean;
}

export class GraphView implements Content {
  readonly el: HTMLElement;
  private readonly crumbs = h('nav', { class: 'jx-crumbs', 'aria-label': 'Open group' });
  private readonly edges = svg('g', { class: 'jx-edges' });
  private readonly nodes = svg('g', { class: 'jx-nodes' });
  private readonly picture: SVGSVGElement;
  private readonly stage: HTMLElement;
  private readonly hint = h('div', { class: 'jx-hint', 'aria-hidden': 'true' }, 'Click the graph, or hold Ctrl, to zoom with the wheel');
  private readonly listTool: HTMLButtonElement;
  private group: string;
  private box: Box | null = null;
  private drawn: Box | null = null;
  private viewW = 0;
  private viewH = 0;
  private shapes = new Map<number, SVGGElement>();
  private wires: { el: SVGGElement; from: number; to: number }[] = [];
  private list: TextView | null = null;
  private matches: GraphNode[] = [];
  private match = -1;
  private stepped = -1;
  private drag: { x: number; y: number; box: Box; moved: boolean } | null = null;
  private hintTimer = 0;

  constructor(private readonly highlight: Highlight, private readonly pane: number, private readonly graph: Graph) {
    this.group = graph.root;
    this.picture = svg('svg', {
      class: 'jx-svg', tabindex: 0, role: 'group', 'data-lm-suppress-shortcuts': 'true', preserveAspectRatio: 'xMidYMid meet',
      pointermove: (e: PointerEvent) => this.pointerMoved(e),
      pointerdown: (e: PointerEvent) => this.pointerDown(e),
      pointerup: () => { setTimeout(() => { this.drag = null; }); },
      pointerleave: () => this.highlight.setHover(null),
      click: (e: MouseEvent) => this.clicked(e),
      dblclick: (e: MouseEvent) => this.openNode(this.nodeUnder(e.target)),
      keydown: (e: KeyboardEvent) => this.key(e)
    }, this.edges, this.nodes);
    this.picture.addEventListener('wheel', e => this.wheel(e), { passive: false });
    this.listTool = iconButton('List of nodes', ICONS.list, () => this.toggleList(), 'l');
    this.listTool.setAttribute('aria-pressed', 'false');
    const tools = h('div', { class: 'jx-graph-tools' },
      iconButton('Zoom in', ICONS.plus, () => this.zoom(1.3), '+'), iconButton('Zoom out', ICONS.minus, () => this.zoom(1 / 1.3), '-'),
      iconButton('Fit', ICONS.fit, () => this.fit(), '0'), this.listTool);
    this.stage = h('div', { class: 'jx-stage' }, this.picture, this.hint, tools);
    this.el = h('div', { class: 'jx-body jx-graph' }, this.crumbs, this.stage);
    this.drawCrumbs();
  }

  // ---- content

  get size(): string {
    return plural(this.graph.nodesOf(this.group).length, 'node');
  }

  resized(): void {
    const { clientWidth: w, clientHeight: height } = this.stage;
    if (!w || !height) return;
    if (this.box && this.viewW && (w !== this.viewW || height !== this.viewH)) this.box = resizeBox(this.box, this.viewW, w, height);
    this.viewW = w;
    this.viewH = height;
    if (!this.box) this.box = this.first();
    this.look();
    this.list?.resized();
  }

  paint(): void {
    const subject = this.highlight.hover?.pane === this.pane ? this.highlight.hover : this.highlight.pin?.pane === this.pane ? this.highlight.pin : null;
    for (const [index, el] of this.shapes) {
      showState(el, this.highlight.stateOf(this.pane, 'node', index, this.graph.set[index]));
    }
    for (const w of this.wires) w.el.classList.toggle('jx-near', !!subject && (w.from === subject.index || w.to === subject.index));
    this.stepped = -1;
    this.list?.paint();
  }

  hits(): string {
    const lit = this.litNodes();
    const here = lit.filter(n => n.home === this.group).length;
    const inside = lit.length - here;
    return [here ? plural(here, 'node') : '', inside ? `${inside} in other groups` : ''].filter(Boolean).join(' · ');
  }

  stepHit(step: 1 | -1): void {
    const lit = this.litNodes();
    if (!lit.length) return;
    const at = this.stepped < 0 ? (step > 0 ? 0 : lit.length - 1) : (this.stepped + step + lit.length) % lit.length;
    this.show(lit[at]);
    this.stepped = at;
  }

  revealLit(): void {
    const { pin } = this.highlight;
    if (pin?.pane === this.pane) return this.show(this.graph.nodes[pin.index]);
    const lit = this.litNodes();
    if (lit.length) this.show(lit.find(n => n.home === this.group) ?? lit[0]);
  }

  find(query: string): FindResult {
    this.matches = query ? this.graph.nodes.filter(n => contains(`${n.label}\n${n.sub ?? ''}\n${n.kind}`, query)) : [];
    const here = this.matches.findIndex(n => n.home === this.group);
    this.match = this.matches.length ? Math.max(0, here) : -1;
    return this.found();
  }

  stepFind(step: 1 | -1): FindResult {
    const n = this.matches.length;
    if (n) this.match = (this.match + step + n) % n;
    return this.found();
  }

  textToCopy(): string {
    return this.graph.dot ?? this.listText(this.graph.root);
  }

  focus(): void {
    this.picture.focus({ preventScroll: true });
  }

  place(): Place {
    return { group: this.group, box: this.box, list: !!this.list };
  }

  restore(place: unknown): void {
    const p = place as Partial<Place> | null;
    if (!p?.group || !this.graph.has(p.group)) return;
    this.open(p.group);
    if (p.box) this.box = p.box;
    if (p.list) this.toggleList();
    this.look();
  }

  dispose(): void {
    clearTimeout(this.hintTimer);
    this.list?.dispose();
  }

  // ---- groups

  private open(id: string): void {
    if (id === this.group || !this.graph.has(id)) return;
    this.group = id;
    this.drawn = null;
    this.box = this.viewW ? this.first() : null;
    this.drawCrumbs();
    this.look();
    if (this.list) {
      this.toggleList();
      this.toggleList();
    }
    this.highlight.paint();
  }

  private openNode(node: GraphNode | null): void {
    if (node?.group) this.open(node.group);
  }

  private drawCrumbs(): void {
    const path = this.graph.pathTo(this.group);
    this.crumbs.replaceChildren(...path.flatMap((id, i) => {
      const { label, kind } = this.graph.group(id);
      const last = i === path.length - 1;
      const name = last
        ? h('span', { class: 'jx-crumb', 'aria-current': 'location' }, label, h('small', {}, ` ${kind}`))
        : h('button', { type: 'button', class: 'jx-crumb', click: () => this.open(id) }, label);
      return i ? [h('span', { class: 'jx-sep', 'aria-hidden': 'true' }, '›'), name] : [name];
    }));
    this.picture.setAttribute('aria-label', `Graph of ${this.graph.group(this.group).label}, ${this.size}. Arrow keys move, Enter pins, o opens a group, u goes up, l lists it as text.`);
  }

  // ---- drawing

  private first(): Box {
    const g = this.graph.group(this.group);
    return firstBox(g.w, g.h, this.viewW, this.viewH, g.nodes);
  }

  private fit(): void {
    const g = this.graph.group(this.group);
    this.box = fitBox(g.w, g.h, this.viewW, this.viewH);
    this.look();
  }

  private zoom(factor: number, fx = 0.5, fy = 0.5): void {
    if (!this.box) return;
    this.box = zoomBox(this.box, factor, fx, fy, this.viewW);
    this.look();
  }

  /** Points the picture at the box, and draws what has come into it. */
  private look(): void {
    const { box } = this;
    if (!box) return;
    this.picture.setAttribute('viewBox', `${box.x} ${box.y} ${box.w} ${box.h}`);
    this.picture.classList.toggle('jx-far', this.viewW / box.w < EDGE_LABEL_SCALE);
    if (!this.drawn || !holds(this.drawn, box)) this.draw(grow(box, 0.5));
  }

  private draw(area: Box): void {
    const group = this.graph.group(this.group);
    const members = this.graph.nodesOf(this.group);
    const all = members.length <= CULL_ABOVE;
    this.drawn = all ? { x: -1e9, y: -1e9, w: 2e9, h: 2e9 } : area;
    this.shapes = new Map();
    for (const n of members) if (all || overlaps(n, area)) this.shapes.set(n.index, this.drawNode(n));
    const byId = new Map(members.map(n => [n.id, n.index]));
    this.wires = [];
    const edges = group.edges.filter(e => all || overlaps(boundsOf(e.points), area));
    const free = freeLabels(edges.map(e => {
      const [x, y] = midPoint(e.points);
      return e.label ? { x: x + 5, y: y - 6, w: e.label.length * SUB_CHAR, h: 11 } : { x, y, w: 0, h: 0 };
    }));
    for (const [i, e] of edges.entries()) {
      const el = svg('g', { class: 'jx-edge' }, svg('path', { d: edgePath(e.points) }), svg('path', { class: 'jx-head', d: arrowPath(e.points) }));
      if (e.label) {
        const [x, y] = midPoint(e.points);
        el.append(svg('text', { class: free[i] ? null : 'jx-crowded', x: x + 5, y: y + 3 }, e.label));
      }
      this.wires.push({ el, from: byId.get(e.from) ?? -1, to: byId.get(e.to) ?? -1 });
    }
    this.edges.replaceChildren(...this.wires.map(w => w.el));
    this.nodes.replaceChildren(...this.shapes.values());
    this.paint();
  }

  private drawNode(n: GraphNode): SVGGElement {
    const round = n.kind === 'parameter' ? Math.min(n.h / 2, 14) : 4;
    const inner = n.w - 20 - (n.group ? 18 : 0);
    const middle = n.y + n.h / 2;
    const left = n.x + 12;
    const g = svg('g', { class: `jx-node jx-node-${n.kind.replace(/\W/g, '')}`, 'data-node': n.index },
      svg('title', {}, n.sub ? `${n.label}\n${n.sub}` : n.label),
      n.group && svg('rect', { class: 'jx-under', x: n.x + 3, y: n.y + 3, width: n.w, height: n.h, rx: round }),
      svg('rect', { class: 'jx-plate', x: n.x, y: n.y, width: n.w, height: n.h, rx: round }),
      svg('path', { class: 'jx-tab', d: `M${n.x + 5} ${n.y + 7}V${n.y + n.h - 7}` }),
      svg('text', { x: left, y: n.sub ? middle - 3 : middle + 4 }, fitText(n.label, inner, LABEL_CHAR)));
    if (n.sub) g.append(svg('text', { class: 'jx-sub', x: left, y: middle + 12 }, fitText(n.sub, inner, SUB_CHAR)));
    if (n.group) {
      const x = n.x + n.w - 14;
      g.append(svg('g', { class: 'jx-open', click: (e: MouseEvent) => { e.stopPropagation(); this.openNode(n); } },
        svg('title', {}, 'Open this group'),
        svg('rect', { x: x - 9, y: middle - 9, width: 18, height: 18, rx: 4 }), svg('path', { d: `M${x - 4} ${middle}h8M${x} ${middle - 4}v8` })));
    }
    g.append(svg('circle', { class: 'jx-knob', cx: n.x, cy: n.y, r: 5 }));
    if (this.matches.includes(n)) g.classList.add(n === this.matches[this.match] ? 'jx-f2' : 'jx-f1');
    return g;
  }

  /** Opens a node's group and brings the node into view. */
  private show(node: GraphNode): void {
    this.open(node.home);
    if (!this.box) return;
    this.box = revealBox(this.box, node);
    this.look();
  }

  private found(): FindResult {
    if (this.match >= 0) this.show(this.matches[this.match]);
    if (this.box) this.draw(grow(this.box, 0.5));
    return { count: this.matches.length, current: this.match + 1, more: false };
  }

  private litNodes(): GraphNode[] {
    const hits = this.highlight.lighting?.hits[this.pane];
    return hits ? Array.from(hits, i => this.graph.nodes[i]) : [];
  }

  // ---- the list

  private toggleList(): void {
    if (this.list) {
      this.list.el.remove();
      this.list.dispose();
      this.list = null;
    } else {
      const members = this.graph.nodesOf(this.group);
      const text = this.listText(this.group);
      const lines = text.split('\n');
      const spans = members.flatMap((n, i) => [i, 0, lines[i].length, n.set ?? -1]);
      const doc = new TextDocument({ id: 'list', title: `Nodes of ${this.graph.group(this.group).label}`, language: 'text', text, spans });
      this.list = new TextView(this.highlight, this.pane, doc, Int32Array.from(members, n => n.index));
      this.list.el.classList.add('jx-list');
      this.el.append(this.list.el);
    }
    this.listTool.setAttribute('aria-pressed', String(!!this.list));
    this.box = null;
    this.resized();
    this.list?.paint();
  }

  /** One line a node: what it is and what it reads. */
  private listText(id: string): string {
    const label = new Map(this.graph.nodesOf(id).map(n => [n.id, n.label]));
    const reads = new Map<string, string[]>();
    for (const e of this.graph.group(id).edges) reads.set(e.to, [...(reads.get(e.to) ?? []), label.get(e.from) ?? e.from]);
    return this.graph.nodesOf(id)
      .map(n => [n.label, n.kind === n.label ? '' : n.kind, n.sub ?? '', reads.has(n.id) ? `← ${reads.get(n.id)!.join(', ')}` : ''].filter(Boolean).join('  ').replace(/\n/g, ' '))
      .join('\n');
  }

  // ---- pointer and keys

  private nodeUnder(target: EventTarget | null): GraphNode | null {
    const el = (target as Element | null)?.closest?.('[data-node]');
    return el ? this.graph.nodes[Number(el.getAttribute('data-node'))] : null;
  }

  private pointerDown(e: PointerEvent): void {
    if (e.button === 0 && this.box) this.drag = { x: e.clientX, y: e.clientY, box: this.box, moved: false };
  }

  private pointerMoved(e: PointerEvent): void {
    const { drag } = this;
    if (drag && e.buttons & 1) {
      const [dx, dy] = [e.clientX - drag.x, e.clientY - drag.y];
      if (!drag.moved && Math.hypot(dx, dy) < DRAG_AFTER) return;
      if (!drag.moved) this.picture.setPointerCapture(e.pointerId);
      drag.moved = true;
      const k = drag.box.w / this.viewW;
      this.box = { ...drag.box, x: drag.box.x - dx * k, y: drag.box.y - dy * k };
      this.look();
      return;
    }
    const node = this.nodeUnder(e.target);
    this.highlight.setHover(node && { pane: this.pane, kind: 'node', index: node.index });
  }

  private clicked(e: MouseEvent): void {
    if (this.drag?.moved) return;
    const node = this.nodeUnder(e.target);
    if (node) this.highlight.togglePin({ pane: this.pane, kind: 'node', index: node.index });
  }

  private wheel(e: WheelEvent): void {
    if (!e.ctrlKey && !e.metaKey && document.activeElement !== this.picture && (this.picture.getRootNode() as ShadowRoot).activeElement !== this.picture) {
      this.hint.classList.add('jx-shown');
      clearTimeout(this.hintTimer);
      this.hintTimer = window.setTimeout(() => this.hint.classList.remove('jx-shown'), 1200);
      return; // the page scrolls on
    }
    e.preventDefault();
    const r = this.stage.getBoundingClientRect();
    const step = e.deltaMode === 1 ? e.deltaY * 16 : e.deltaY;
    this.zoom(Math.exp(-Math.max(-120, Math.min(120, step)) * (e.ctrlKey ? 0.006 : 0.0022)), (e.clientX - r.left) / r.width, (e.clientY - r.top) / r.height);
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const hover = this.highlight.hover?.pane === this.pane ? this.graph.nodes[this.highlight.hover.index] : null;
    const arrows: Record<string, [number, number]> = { ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    if (e.key in arrows) this.move(hover, ...arrows[e.key]);
    else if ((e.key === 'Enter' || e.key === ' ') && hover) this.highlight.togglePin({ pane: this.pane, kind: 'node', index: hover.index });
    else if (e.key === 'o' && hover) this.openNode(hover);
    else if (e.key === 'u' || e.key === 'Backspace') {
      const path = this.graph.pathTo(this.group);
      if (path.length > 1) this.open(path[path.length - 2]);
    } else if (e.key === '+' || e.key === '=') this.zoom(1.3);
    else if (e.key === '-') this.zoom(1 / 1.3);
    else if (e.key === '0') this.fit();
    else if (e.key === 'l') this.toggleList();
    else if (e.key === 'n' || e.key === 'p') this.stepHit(e.key === 'n' ? 1 : -1);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  private move(from: GraphNode | null, dx: number, dy: number): void {
    const members = this.graph.nodesOf(this.group);
    if (!members.length) return;
    const at = from ? members.indexOf(from) : -1;
    const lit = members.findIndex(n => this.highlight.stateOf(this.pane, 'node', n.index, this.graph.set[n.index]) & (HOT | LIT | PIN));
    const to = at >= 0 ? nodeTowards(members, at, dx, dy) : Math.max(0, lit);
    if (to < 0) return;
    this.show(members[to]);
    this.highlight.setHover({ pane: this.pane, kind: 'node', index: members[to].index });
  }
}
