import { keysText } from './keys.ts'

/** A shortcut as it stands on the keys; not read aloud with the name of its button. */
export const Keys = ({ of }: { of: string }) => (
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a kbd takes no focus
  <kbd aria-hidden="true">{keysText(of)}</kbd>
)
