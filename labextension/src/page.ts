// The stand-alone page: finds the explorations in the document and mounts each in place. Nothing is fetched.
// <div><script type="application/vnd.jaxnb.exploration+json">{"schema": 1, …}</script></div>; with data-fill the view fills
// its parent's height.

import css from '../style/jaxnb.css';
import { decodeEnvelope } from './model/decode';
import { linkName, readLink } from './model/selection';
import { MIME } from './model/schema';
import { mountExploration } from './view/mount';
import { reason, showNote } from './view/note';
import { ensureStyle } from './view/style';

const DONE = 'data-jaxnb-mounted';

async function mount(block: HTMLScriptElement): Promise<void> {
  block.setAttribute(DONE, '');
  const host = document.createElement('div');
  if (block.hasAttribute('data-fill')) host.style.height = '100%';
  block.after(host);
  ensureStyle(host, css);
  let text = '';
  try {
    const envelope: unknown = JSON.parse(block.textContent ?? '');
    text = String((envelope as { text?: unknown })?.text ?? '');
    const model = await decodeEnvelope(envelope);
    const link = readLink(location.hash);
    const name = linkName(model);
    const handle = mountExploration(host, model, {
      fill: block.hasAttribute('data-fill'),
      link: link?.name === name ? link : null,
      linkFor: fragment => (/^(file|https?):/.test(location.protocol) ? `${location.href.split('#')[0]}#${fragment}` : `#${fragment}`),
      onPin: fragment => {
        try {
          history.replaceState(history.state, '', `#${fragment}`);
        } catch {
          // A frame without an address of its own (srcdoc, a webview) has nothing to write to.
        }
      }
    });
    addEventListener('hashchange', () => {
      const next = readLink(location.hash);
      if (next?.name === name) handle.go(next);
    });
    // The static form of this output has served its purpose.
    block.parentElement?.querySelectorAll<HTMLElement>(':scope > [data-jaxnb-static]').forEach(el => { el.hidden = true; });
  } catch (error) {
    showNote(host, reason(error), text);
  }
}

function mountAll(): void {
  document.querySelectorAll<HTMLScriptElement>(`script[type="${MIME}"]:not([${DONE}])`).forEach(block => void mount(block));
}

declare global {
  interface Window {
    /** Set by the first viewer of a page; later outputs, which may carry only their data, use it. */
    jaxnbMountAll?: () => void;
  }
}

window.jaxnbMountAll = mountAll;
mountAll();
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', mountAll);
