/** What floats above every screen; loaded when the first screen stands. */
export function Overlays() {
  return null
}
