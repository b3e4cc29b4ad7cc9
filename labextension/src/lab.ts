// The JupyterLab and Notebook 7 plugins: the renderer of exploration outputs, editor modes, and the side panel.

import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { jaxnbIcon } from './lab/icon';
import { passModifiedKeys } from './lab/keys';
import { registerLanguages } from './lab/languages';
import { HistoryPanel } from './lab/panel';
import { rendererFactory } from './lab/renderer';

const renderer: JupyterFrontEndPlugin<void> = {
  id: 'jaxnb:renderer',
  description: 'Shows explorations in cell outputs.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  activate: (_: JupyterFrontEnd, registry: IRenderMimeRegistry) => {
    registry.addFactory(rendererFactory);
    passModifiedKeys();
  }
};

const languages: JupyterFrontEndPlugin<void> = {
  id: 'jaxnb:languages',
  description: 'Editor modes for jaxpr, MLIR and HLO.',
  autoStart: true,
  optional: [IEditorLanguageRegistry],
  activate: (_: JupyterFrontEnd, registry: IEditorLanguageRegistry | null) => {
    if (registry) registerLanguages(registry);
  }
};

// Only tokens that Notebook 7 has too are asked for, and none is required.
const panel: JupyterFrontEndPlugin<void> = {
  id: 'jaxnb:panel',
  description: 'Lists the compilations of the current notebook.',
  autoStart: true,
  optional: [ICommandPalette, INotebookTracker],
  activate: (app: JupyterFrontEnd, palette: ICommandPalette | null, tracker: INotebookTracker | null) => {
    const widget = new HistoryPanel(tracker);
    widget.title.icon = jaxnbIcon;
    app.shell.add(widget, 'left', { rank: 900, type: 'jaxnb' });
    const command = 'jaxnb:show-compilations';
    app.commands.addCommand(command, {
      label: 'Show Compilations (jaxnb)',
      icon: jaxnbIcon,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => app.shell.activateById(widget.id)
    });
    palette?.addItem({ command, category: 'jaxnb' });
  }
};

export default [renderer, languages, panel];
