// The widget module (anywidget): the same view, fed by custom messages with binary buffers.

import type { RenderProps } from '@anywidget/types';
import css from '../style/jaxnb.css';
import { decodeBytes } from './model/decode';
import { isModelMessage, ModelAssembler, Request } from './protocol';
import { mountExploration, ViewHandle } from './view/mount';
import { reason, showNote } from './view/note';
import { ensureStyle } from './view/style';

interface Traits {
  /** Plain summary, kept in the saved notebook: shown until a kernel sends the model. */
  text: string;
}

function render({ model, el }: RenderProps<Traits>): () => void {
  const host = document.createElement('div');
  el.append(host);
  ensureStyle(host, css);
  const send = (request: Request) => model.send(request);
  const assembler = new ModelAssembler();
  let view: ViewHandle | null = null;
  let turn = 0;

  async function show(bytes: Uint8Array): Promise<void> {
    const mine = ++turn;
    try {
      const exploration = await decodeBytes(bytes);
      if (mine !== turn) return; // a newer model overtook this one
      if (view) return view.update(exploration);
      host.replaceChildren();
      view = mountExploration(host, exploration, { live: true, onStop: () => send({ kind: 'stop' }), onRetry: () => send({ kind: 'retry' }) });
    } catch (error) {
      if (mine !== turn) return;
      view?.dispose();
      view = null;
      showNote(host, reason(error), model.get('text') ?? '');
    }
  }

  const receive = (message: unknown, buffers: DataView[]) => {
    if (!isModelMessage(message) || !buffers.length) return;
    const bytes = assembler.add(message, buffers[0]);
    if (bytes) void show(bytes);
  };
  model.on('msg:custom', receive);
  showNote(host, model.get('text') ?? '');
  send({ kind: 'ready' });
  return () => {
    turn++;
    model.off('msg:custom', receive);
    view?.dispose();
    host.remove();
  };
}

export default { render };
