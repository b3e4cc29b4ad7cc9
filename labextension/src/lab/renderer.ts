// Renders the exploration MIME type in cell outputs. Safe: text is only ever text, so it may show before a notebook is trusted.

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { Link, linkName, readLink } from '../model/selection';
import { MIME } from '../model/schema';
import { mountExploration, ViewHandle } from '../view/mount';
import { reason, showNote } from '../view/note';
import { decoded } from './decoded';

/** Link in the address that opened the page, until the exploration it names is drawn. */
let waiting: Link | null = readLink(window.location.hash);

export class RenderedExploration extends Widget implements IRenderMime.IRenderer {
  private view: ViewHandle | null = null;
  private turn = 0;

  constructor(private readonly options: IRenderMime.IRendererOptions) {
    super();
    this.addClass('jaxnb-output');
  }

  /** Draws a model, or brings the drawn one up to date: pins, panes and scroll positions stay. */
  async renderModel(mime: IRenderMime.IMimeModel): Promise<void> {
    const turn = ++this.turn;
    const value: unknown = mime.data[this.options.mimeType];
    try {
      const model = await decoded(value);
      if (turn !== this.turn || this.isDisposed) return; // a newer update overtook this one
      if (this.view) return this.view.update(model);
      const link = waiting?.name === linkName(model) ? waiting : null;
      if (link) waiting = null;
      this.node.replaceChildren();
      this.view = mountExploration(this.node, model, {
        live: true, link, linkFor: fragment => `${window.location.href.split('#')[0]}#${fragment}`
      });
    } catch (error) {
      if (turn !== this.turn || this.isDisposed) return;
      this.drop();
      const text = (value as { text?: unknown } | null)?.text;
      showNote(this.node, reason(error), typeof text === 'string' ? text : '');
    }
  }

  dispose(): void {
    this.turn++;
    this.drop();
    super.dispose();
  }

  private drop(): void {
    this.view?.dispose();
    this.view = null;
  }
}

export const rendererFactory: IRenderMime.IRendererFactory = {
  safe: true,
  mimeTypes: [MIME],
  defaultRank: 40, // below text/html (50): preferred to it
  createRenderer: options => new RenderedExploration(options)
};
