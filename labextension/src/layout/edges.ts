// Shapes of a graph's edges and labels, from positions that the model gives.

import { Box, overlaps } from './viewbox';

/** Bounds of a polyline. */
export function boundsOf(points: readonly number[]): Box {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i + 1 < points.length; i += 2) {
    x0 = Math.min(x0, points[i]);
    x1 = Math.max(x1, points[i]);
    y0 = Math.min(y0, points[i + 1]);
    y1 = Math.max(y1, points[i + 1]);
  }
  return { x: x0, y: y0, w: x1 - x0, h: y1 - y0 };
}

/** SVG path through a polyline with its corners rounded. */
export function edgePath(points: readonly number[]): string {
  const f = (v: number) => String(Math.round(v * 10) / 10);
  const n = points.length / 2;
  if (n < 2) return '';
  let d = `M${f(points[0])} ${f(points[1])}`;
  for (let i = 1; i < n - 1; i++) {
    const [x, y] = [points[2 * i], points[2 * i + 1]];
    const [nx, ny] = [points[2 * i + 2], points[2 * i + 3]];
    const last = i === n - 2;
    d += `Q${f(x)} ${f(y)} ${f(last ? nx : (x + nx) / 2)} ${f(last ? ny : (y + ny) / 2)}`;
  }
  if (n === 2) d += `L${f(points[2])} ${f(points[3])}`;
  return d;
}

/** Which labels can stand without lying on an earlier one: for each of their boxes, whether it is free. */
export function freeLabels(boxes: readonly Box[]): boolean[] {
  const placed: Box[] = [];
  return boxes.map(box => {
    const free = !placed.some(other => overlaps(box, other));
    if (free && box.w) placed.push(box);
    return free;
  });
}

/** Point half way along a polyline: where its label sits. */
export function midPoint(points: readonly number[]): [number, number] {
  let length = 0;
  for (let i = 2; i < points.length; i += 2) length += Math.hypot(points[i] - points[i - 2], points[i + 1] - points[i - 1]);
  let left = length / 2;
  for (let i = 2; i < points.length; i += 2) {
    const step = Math.hypot(points[i] - points[i - 2], points[i + 1] - points[i - 1]);
    if (step >= left && step > 0) {
      const t = left / step;
      return [points[i - 2] + (points[i] - points[i - 2]) * t, points[i - 1] + (points[i + 1] - points[i - 1]) * t];
    }
    left -= step;
  }
  return [points[0] ?? 0, points[1] ?? 0];
}

const ARROW = 6;

/** Arrow head at the end of a polyline, or an empty string for one without length. */
export function arrowPath(points: readonly number[]): string {
  const n = points.length;
  const [x, y] = [points[n - 2], points[n - 1]];
  for (let i = n - 4; i >= 0; i -= 2) {
    const [dx, dy] = [x - points[i], y - points[i + 1]];
    const d = Math.hypot(dx, dy);
    if (d < 0.5) continue;
    const [ux, uy] = [(dx / d) * ARROW, (dy / d) * ARROW];
    const f = (v: number) => String(Math.round(v * 10) / 10);
    return `M${f(x)} ${f(y)}L${f(x - ux - uy * 0.5)} ${f(y - uy + ux * 0.5)}L${f(x - ux + uy * 0.5)} ${f(y - uy - ux * 0.5)}Z`;
  }
  return '';
}

/** Text that fits a width, cut with an ellipsis. */
export function fitText(text: string, width: number, charWidth: number): string {
  const most = Math.max(1, Math.floor(width / charWidth));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Node that an arrow key goes to: the nearest ahead, sideways distance counting double; -1 when there is none. */
export function nodeTowards(nodes: readonly Box[], from: number, dx: number, dy: number): number {
  const centre = (b: Box) => [b.x + b.w / 2, b.y + b.h / 2];
  const [x, y] = centre(nodes[from]);
  let best = -1;
  let least = Infinity;
  nodes.forEach((n, i) => {
    const [nx, ny] = centre(n);
    const ahead = (nx - x) * dx + (ny - y) * dy;
    const aside = Math.abs((nx - x) * dy) + Math.abs((ny - y) * dx);
    if (i !== from && ahead > 1 && ahead + 2 * aside < least) {
      least = ahead + 2 * aside;
      best = i;
    }
  });
  return best;
}
