/** The name of the canvas of scenes in space, for whoever measures the page. */
export const CANVAS = 'space';
