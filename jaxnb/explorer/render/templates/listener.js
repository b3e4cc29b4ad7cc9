(() => {
  const hide = event => {
    for (const frame of document.querySelectorAll('.jaxnb-output iframe')) {
      if (frame.contentWindow !== event.source || event.data?.jaxnb !== 'ready') continue;
      frame.parentElement.querySelectorAll('[data-jaxnb-static]').forEach(one => { one.hidden = true; });
    }
  };
  if (!window.jaxnbListens) addEventListener('message', hide);
  window.jaxnbListens = true;
})();
