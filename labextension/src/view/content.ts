// What a pane frame asks of its content, be it text or graph.

export interface FindResult {
  count: number;
  /** Number of the current match, from 1; 0 without one. */
  current: number;
  more: boolean;
}

export interface Content {
  readonly el: HTMLElement;
  /** Short size: "12 lines". */
  readonly size: string;
  paint(): void;
  /** The element was shown or changed size. */
  resized(): void;
  /** How many places light now, in words; empty when none. */
  hits(): string;
  stepHit(step: 1 | -1): void;
  /** Brings the first lit place, or the pinned item itself, into view. */
  revealLit(): void;
  find(query: string): FindResult;
  stepFind(step: 1 | -1): FindResult;
  textToCopy(): string;
  focus(): void;
  /** Place to return to when the content is rebuilt for a new model. */
  place(): unknown;
  restore(place: unknown): void;
  dispose(): void;
}
