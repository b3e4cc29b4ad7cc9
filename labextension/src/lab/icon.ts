// The mark of the side panel: four stages and a link through them.

import { LabIcon } from '@jupyterlab/ui-components';

export const jaxnbIcon = new LabIcon({
  name: 'jaxnb:icon',
  svgstr: '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><g class="jp-icon3" fill="#616161"><path d="M3 4h7v4H3zM14 4h7v4h-7zM3 16h7v4H3zM14 16h7v4h-7z"/><path d="M5.75 8h1.5v8h-1.5zM16.75 8h1.5v8h-1.5zM10 5.25h4v1.5h-4zM10 17.25h4v1.5h-4z"/></g></svg>'
});
