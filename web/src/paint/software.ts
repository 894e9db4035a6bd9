// Does the browser draw without a graphics card?

const NAMES = /swiftshader|llvmpipe|lavapipe|softpipe|swrast|software|basic render/i;

/** Is this what a renderer on the processor calls itself? */
export function isSoftwareName(name: string): boolean {
  return NAMES.test(name);
}

let known: boolean | null = null;

/** A picture without antialiasing has to be asked for before the first one is drawn. */
export function drawsInSoftware(): boolean {
  known ??= isSoftwareName(rendererName());
  return known;
}

function rendererName(): string {
  const context = document.createElement('canvas').getContext('webgl2');
  if (context === null) return '';
  const masked = context.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = context.getParameter(masked?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER);
  // Browsers keep few contexts.
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return String(name);
}
