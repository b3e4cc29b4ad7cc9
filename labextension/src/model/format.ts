// Numbers as a person reads them.

/** "1,234,567". */
export function count(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** "1 line", "2 lines". */
export function plural(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`;
}

/** "840 µs", "2.1 ms", "28.4 s", "2 min 05 s". */
export function seconds(s: number): string {
  if (s < 0.9995e-3) return `${(s * 1e6).toPrecision(s < 1e-5 ? 2 : 3).replace(/\.0+$/, '')} µs`;
  if (s < 0.9995) return `${three(s * 1e3)} ms`;
  if (s < 99.95) return `${three(s)} s`;
  const whole = Math.round(s);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}

function three(v: number): string {
  return v < 9.995 ? v.toFixed(2).replace(/0$/, '') : v < 99.95 ? v.toFixed(1) : v.toFixed(0);
}

/** A clock of whole seconds: "7 s", "1 min 03 s". */
export function elapsed(s: number): string {
  const whole = Math.max(0, Math.floor(s));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}
