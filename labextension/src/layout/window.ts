// Which rows of a long list are drawn, and where to scroll so that a row is seen. Rows all have one height.

/** First and one-past-last row to draw. */
export function rowWindow(scrollTop: number, viewHeight: number, rowHeight: number, total: number, extra = 8): [number, number] {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - extra);
  const last = Math.min(total, Math.ceil((scrollTop + viewHeight) / rowHeight) + extra);
  return [Math.min(first, total), Math.max(last, 0)];
}

/** New scrollTop that shows a row: unchanged when it is in view, one third from the top when it is far. */
export function scrollFor(row: number, scrollTop: number, viewHeight: number, rowHeight: number, total: number): number {
  const top = row * rowHeight;
  const bottom = top + rowHeight;
  const limit = Math.max(0, total * rowHeight - viewHeight);
  const margin = Math.min(rowHeight * 2, Math.max(0, (viewHeight - rowHeight) / 2));
  const clamp = (v: number) => Math.max(0, Math.min(limit, v));
  if (top >= scrollTop && bottom <= scrollTop + viewHeight) return scrollTop;
  if (top >= scrollTop - rowHeight * 3 && top < scrollTop) return clamp(top - margin);
  if (bottom <= scrollTop + viewHeight + rowHeight * 3 && bottom > scrollTop) return clamp(bottom - viewHeight + margin);
  return clamp(top - viewHeight / 3);
}

/** New scrollLeft that shows [from, to) in pixels, its beginning first of all: moved no further than it must be,
 *  and not at all while half of the view is there to show it. */
export function scrollLeftFor(from: number, to: number, scrollLeft: number, viewWidth: number): number {
  const room = Math.min(24, viewWidth / 8);
  if (from < scrollLeft) return Math.max(0, from - room);
  if (to <= scrollLeft + viewWidth || from < scrollLeft + viewWidth / 2) return scrollLeft;
  return Math.max(scrollLeft, Math.min(from - room, to - viewWidth + room));
}
