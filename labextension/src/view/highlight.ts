// What is hot and what is pinned in one mounted view, and the lighting that follows. Panes read it and repaint when told.

import type { Exploration } from '../model/exploration';
import type { Lighting } from '../model/links';
import { addressOf, Item, itemAt, sameItem, setsOf } from '../model/selection';

/** Bits of what an item shows. */
export const HOT = 1;
export const LIT = 2;
export const PIN = 4;
/** A counterpart of what is hot while something else is pinned. */
export const ECHO = 8;

export class Highlight {
  hover: Item | null = null;
  pin: Item | null = null;
  private hoverLight: Lighting | null = null;
  private pinLight: Lighting | null = null;
  private readonly painters = new Set<() => void>();
  private readonly pinned = new Set<() => void>();

  constructor(public model: Exploration) {}

  /** Lighting that decides what is lit: the pinned item's, else the hot one's. */
  get lighting(): Lighting | null {
    return this.pinLight ?? this.hoverLight;
  }

  /** Item whose lighting is shown. */
  get subject(): Item | null {
    return this.pin ?? this.hover;
  }

  /** Lighting of the hot item, or else of the pinned one: what the status line speaks of. */
  get spoken(): [Item, Lighting] | null {
    if (this.hover && this.hoverLight) return [this.hover, this.hoverLight];
    return this.pin && this.pinLight ? [this.pin, this.pinLight] : null;
  }

  setHover(item: Item | null): void {
    if (sameItem(item, this.hover)) return;
    this.hover = item;
    this.hoverLight = item && this.lightOf(item);
    this.paint();
  }

  setPin(item: Item | null): void {
    if (sameItem(item, this.pin)) return;
    this.pin = item;
    this.pinLight = item && this.lightOf(item);
    this.paint();
    for (const f of this.pinned) f();
  }

  /** Pins an item, or unpins it when it is pinned already. */
  togglePin(item: Item): void {
    this.setPin(sameItem(item, this.pin) ? null : item);
  }

  /** Takes a new model; what is pinned and what is hot stay where the new one has an item at the same place. */
  replace(model: Exploration): void {
    const again = (item: Item | null) => item && itemAt(model, addressOf(this.model, item));
    const pin = again(this.pin);
    const hover = again(this.hover);
    this.model = model;
    this.hover = hover;
    this.hoverLight = hover && this.lightOf(hover);
    this.pin = pin;
    this.pinLight = pin && this.lightOf(pin);
  }

  /** Bits of an item that carries a set (-1: none). */
  stateOf(pane: number, kind: Item['kind'], index: number, set: number): number {
    let bits = 0;
    if (this.pin && this.pin.pane === pane && this.pin.kind === kind && this.pin.index === index) bits |= PIN;
    if (this.hover && this.hover.pane === pane && this.hover.kind === kind && this.hover.index === index) bits |= HOT;
    if (set < 0) return bits;
    const main = this.lighting;
    if (main && main.origin !== pane && main.sets[set]) bits |= LIT;
    if (this.pinLight && this.hoverLight && !sameItem(this.pin, this.hover) && this.hoverLight.origin !== pane && this.hoverLight.sets[set]) bits |= ECHO;
    return bits;
  }

  onPaint(f: () => void): () => void {
    this.painters.add(f);
    return () => this.painters.delete(f);
  }

  onPin(f: () => void): () => void {
    this.pinned.add(f);
    return () => this.pinned.delete(f);
  }

  paint(): void {
    for (const f of this.painters) f();
  }

  private lightOf(item: Item): Lighting {
    const { links } = this.model;
    return links.light(links.pivotsOf(setsOf(this.model, item)), item.pane);
  }
}

/** Sets the classes that the bits stand for. */
export function showState(el: Element, bits: number): void {
  const c = el.classList;
  c.toggle('jx-hot', !!(bits & HOT));
  c.toggle('jx-lit', !!(bits & LIT));
  c.toggle('jx-pin', !!(bits & PIN));
  c.toggle('jx-echo', !!(bits & ECHO));
}
