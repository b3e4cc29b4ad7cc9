// The part of a graph that is seen, and the shapes of its edges. Graph units; positions come from the model.

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Most and least pixels to one graph unit. */
export const ZOOM = { least: 0.02, most: 3 };
/** Below this scale the labels cannot be read, so a first view shows a part instead of the whole. */
const READABLE = 0.5;
const PADDING = 16;

/** Box with the view's proportions that holds the whole graph; never blown up beyond its own size. */
export function fitBox(w: number, h: number, viewW: number, viewH: number): Box {
  const scale = Math.min(1, viewW / (w + 2 * PADDING), viewH / (h + 2 * PADDING));
  return boxAt(w / 2, h / 2, scale, viewW, viewH);
}

/** First view of a graph: the whole where it can be read, else its top at a readable scale, with the nodes there in the middle. */
export function firstBox(w: number, h: number, viewW: number, viewH: number, nodes: readonly Box[] = []): Box {
  const fit = fitBox(w, h, viewW, viewH);
  if (viewW / fit.w >= READABLE) return fit;
  const scale = Math.max(READABLE, Math.min(1, viewW / (w + 2 * PADDING)));
  const box = boxAt(w / 2, h / 2, scale, viewW, viewH);
  if (h <= box.h - 2 * PADDING) return box;
  const top = nodes.filter(n => n.y < box.h - PADDING);
  if (!top.length || w <= box.w - 2 * PADDING) return { ...box, y: -PADDING };
  const left = Math.min(...top.map(n => n.x));
  const right = Math.max(...top.map(n => n.x + n.w));
  return { ...box, x: (left + right - box.w) / 2, y: -PADDING };
}

function boxAt(cx: number, cy: number, scale: number, viewW: number, viewH: number): Box {
  return { x: cx - viewW / scale / 2, y: cy - viewH / scale / 2, w: viewW / scale, h: viewH / scale };
}

/** Box zoomed by a factor (above 1: closer), the point at fraction (fx, fy) of the view staying where it is. */
export function zoomBox(box: Box, factor: number, fx: number, fy: number, viewW: number): Box {
  const scale = viewW / box.w;
  const next = Math.max(ZOOM.least, Math.min(ZOOM.most, scale * factor));
  const k = scale / next;
  return { x: box.x + box.w * fx * (1 - k), y: box.y + box.h * fy * (1 - k), w: box.w * k, h: box.h * k };
}

/** Box moved so that a node lies well inside it; the same box when it does already. */
export function revealBox(box: Box, node: Box): Box {
  const inside = node.x >= box.x && node.y >= box.y && node.x + node.w <= box.x + box.w && node.y + node.h <= box.y + box.h;
  return inside ? box : { ...box, x: node.x + node.w / 2 - box.w / 2, y: node.y + node.h / 2 - box.h / 2 };
}

/** Same centre and scale in a view of another size. */
export function resizeBox(box: Box, oldW: number, viewW: number, viewH: number): Box {
  return boxAt(box.x + box.w / 2, box.y + box.h / 2, oldW / box.w, viewW, viewH);
}

export function grow(box: Box, by: number): Box {
  return { x: box.x - box.w * by, y: box.y - box.h * by, w: box.w * (1 + 2 * by), h: box.h * (1 + 2 * by) };
}

export function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

export function contains(outer: Box, inner: Box): boolean {
  return inner.x >= outer.x && inner.y >= outer.y && inner.x + inner.w <= outer.x + outer.w && inner.y + inner.h <= outer.y + outer.h;
}
