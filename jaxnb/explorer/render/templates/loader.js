(async () => {
  const packed = atob(document.getElementById('jaxnb-viewer').textContent.trim());
  const bytes = Uint8Array.from(packed, c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const script = document.createElement('script');
  script.textContent = await new Response(stream).text();
  document.body.append(script);
  parent.postMessage({ jaxnb: 'ready' }, '*');
})();
