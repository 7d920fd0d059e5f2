/** What of a keyboard event a chord is made of. */
export interface Press {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
}

/** One shortcut of a screen. */
export interface Shortcut {
  /** A chord (`c`, `shift+c`, `mod+enter`, `alt+arrowup`, `?`) or two keys in turn (`g p`); several by `|`. */
  keys: string
  /** What it does, in words, for the sheet of shortcuts. */
  label: string
  run: (event?: KeyboardEvent) => void
  /** Whether it means anything now; else the key goes on to others. */
  when?: () => boolean
  /** Also while a text field has the focus. */
  inFields?: boolean
  /** Again and again while the key is held. */
  repeats?: boolean
  /** Not in the sheet: another name of one that is. */
  hidden?: boolean
}

/** The name of a press, whatever the keyboard: `mod` is Ctrl, or ⌘ on a Mac. Shift counts with letters and named keys. */
export function chordOf(press: Press, apple: boolean): string {
  const key = press.key === ' ' ? 'space' : press.key.toLowerCase()
  const typed = key.length === 1 && key.toUpperCase() === key
  return [
    (apple ? press.metaKey : press.ctrlKey) && 'mod+',
    (apple ? press.ctrlKey : press.metaKey) && 'other+',
    press.altKey && 'alt+',
    press.shiftKey && !typed && 'shift+',
    key,
  ]
    .filter(Boolean)
    .join('')
}

/** Whether a chord could be a letter that somebody dictates or types: those can be switched off (WCAG 2.1.4). */
export const isSingle = (chord: string): boolean => /^(shift\+)?(.|g .|space)$/.test(chord)

export interface Found {
  shortcut: Shortcut | undefined
  /** The first key of two, which waits for the other. */
  prefix: string | undefined
}

/** The shortcut that a chord means: of the last table that has it, after a prefix if there is one. */
export function find(
  tables: readonly (readonly Shortcut[])[],
  chord: string,
  prefix: string | undefined,
  allowed: (shortcut: Shortcut, chord: string) => boolean,
): Found {
  const wanted = prefix === undefined ? chord : `${prefix} ${chord}`
  let opens = false
  for (const table of tables.toReversed()) {
    for (const shortcut of table) {
      for (const keys of shortcut.keys.split('|')) {
        if (!allowed(shortcut, keys) || shortcut.when?.() === false) continue
        if (keys === wanted) return { shortcut, prefix: undefined }
        opens ||= prefix === undefined && keys.startsWith(`${chord} `)
      }
    }
  }
  return { shortcut: undefined, prefix: opens ? chord : undefined }
}

const NAMES: Record<string, string> = {
  enter: 'Enter',
  escape: 'Esc',
  space: 'Space',
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  backspace: 'Backspace',
  delete: 'Del',
  shift: 'Shift',
}

/** A chord as it stands on the keys: "Ctrl K", "⌘ K", "G P", "Shift E". */
export function shownKeys(keys: string, apple: boolean): string {
  const modifiers: Record<string, string> = apple
    ? { mod: '⌘', alt: '⌥', shift: '⇧' }
    : { mod: 'Ctrl', alt: 'Alt', shift: 'Shift' }
  const [first = ''] = keys.split('|')
  return first
    .split(/[ +](?=.)/)
    .map((part) => modifiers[part] ?? NAMES[part] ?? part.toUpperCase())
    .join(' ')
}
