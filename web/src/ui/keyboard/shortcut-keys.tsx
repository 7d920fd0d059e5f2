import { formatShortcut } from './use-shortcuts.ts'

/** A shortcut as keyboards label it; hidden so that it does not become part of a button's name. */
export const ShortcutKeys = ({ of }: { of: string }) => (
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a kbd takes no focus
  <kbd aria-hidden="true">{formatShortcut(of)}</kbd>
)
