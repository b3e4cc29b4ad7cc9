// Messages between the kernel and a live view. Data travels kernel → browser as binary buffers, in parts when it is large.

/** Kernel → browser. A model is gzip bytes of its JSON; `parts` buffers are put together in order when it comes in several. */
export interface ModelMessage {
  kind: 'model';
  id?: number;
  part?: number;
  parts?: number;
}

/** Browser → kernel. `ready` asks for the model (a view was drawn, perhaps for the second time). */
export type Request = { kind: 'ready' } | { kind: 'stop' } | { kind: 'retry' };

export function isModelMessage(message: unknown): message is ModelMessage {
  return typeof message === 'object' && message !== null && (message as { kind?: unknown }).kind === 'model';
}

/** Puts models together from their parts. A newer model drops an older one that is still incomplete. */
export class ModelAssembler {
  private id: number | undefined;
  private parts: (Uint8Array | undefined)[] = [];

  /** The whole model's bytes once its last part is in, else null. */
  add(message: ModelMessage, buffer: DataView | ArrayBuffer | Uint8Array): Uint8Array | null {
    const bytes = buffer instanceof ArrayBuffer ? new Uint8Array(buffer) : new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    const count = message.parts ?? 1;
    if (message.id !== this.id || this.parts.length !== count) {
      this.id = message.id;
      this.parts = new Array(count).fill(undefined);
    }
    this.parts[message.part ?? 0] = bytes;
    if (this.parts.some(p => !p)) return null;
    const whole = new Uint8Array(this.parts.reduce((n, p) => n + p!.length, 0));
    let at = 0;
    for (const p of this.parts) {
      whole.set(p!, at);
      at += p!.length;
    }
    this.parts = [];
    return whole;
  }
}
