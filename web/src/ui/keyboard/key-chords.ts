import { uiMessages } from '../../messages/app/ui.ts'

/** The parts of a keyboard event that make up a chord. */
interface KeyPress {
  key: string
  /** The place of the key, such as `KeyJ` for that of J on a US keyboard. */
  code: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
  getModifierState(modifier: 'AltGraph'): boolean
}

/** One shortcut of a screen. */
export interface Shortcut {
  /**
   * A chord (`c`, `shift+c`, `mod+enter`, `alt+arrowup`, `?`) or a sequence of two keys (`g p`).
   * Alternatives are separated by `|`. Empty for a command without keys, which has an `id` instead.
   */
  keys: string
  id?: string
  /** Describes the action in the list of shortcuts. */
  label: string
  run: (event?: KeyboardEvent) => void
  /** Whether the shortcut applies now; if not, lower tables may handle the key. */
  when?: () => boolean
  /** Works in text fields too. */
  inFields?: boolean
  /** Fires repeatedly while the key is held. */
  repeats?: boolean
  /** Left out of the list of shortcuts, because it duplicates one that is in it. */
  hidden?: boolean
}

/**
 * Returns the platform-independent chord of a key press: `mod` is Ctrl, or ⌘ on a Mac. `shift+` is
 * left out for characters without case such as `?`, which need Shift on some layouts only. So are
 * the keys that type a character on layouts where it has no key of its own: Option on a Mac and
 * AltGr, which Windows reports as Ctrl and Alt. A German keyboard has `[` on Option+5 or AltGr+8.
 */
export function toKeyChord(press: KeyPress, apple: boolean): string {
  const key = toKeyName(press)
  const isCaseless = key.length === 1 && key.toUpperCase() === key
  const isTyped = isCaseless && (apple ? press.altKey : press.getModifierState('AltGraph'))
  const isControl = press.ctrlKey && !(isTyped && !apple)
  return [
    (apple ? press.metaKey : isControl) && 'mod+',
    (apple ? press.ctrlKey : press.metaKey) && 'other+',
    press.altKey && !isTyped && 'alt+',
    press.shiftKey && !isCaseless && 'shift+',
    key,
  ]
    .filter(Boolean)
    .join('')
}

/**
 * The name of a key: what it types. A letter of another script, such as Cyrillic or what Option types
 * on a Mac, counts as the Latin one at its place.
 */
function toKeyName({ key, code }: KeyPress): string {
  if (key === ' ') return 'space'
  const isOtherScript = key.length === 1 && key > '\x7f' && /^Key[A-Z]$/.test(code)
  return (isOtherScript ? code.slice(-1) : key).toLowerCase()
}

/**
 * Whether a chord has no modifier but Shift. Dictation can trigger such shortcuts by accident, so
 * WCAG 2.1.4 requires that users can turn them off.
 */
export const isSingleKey = (chord: string): boolean => /^(shift\+)?(.|g .|space)$/.test(chord)

interface ShortcutMatch {
  shortcut: Shortcut | undefined
  /** The first key of a two-key sequence that waits for the second. */
  prefix: string | undefined
}

/** Finds the shortcut for a chord after an optional prefix; the last table that has it wins. */
export function matchShortcut(
  tables: readonly (readonly Shortcut[])[],
  chord: string,
  prefix: string | undefined,
  isAllowed: (shortcut: Shortcut, chord: string) => boolean,
): ShortcutMatch {
  const sequence = prefix === undefined ? chord : `${prefix} ${chord}`
  let startsSequence = false
  for (const table of tables.toReversed()) {
    for (const shortcut of table) {
      for (const keys of alternativesOf(shortcut.keys)) {
        if (!isAllowed(shortcut, keys) || shortcut.when?.() === false) continue
        if (keys === sequence) return { shortcut, prefix: undefined }
        startsSequence ||= prefix === undefined && keys.startsWith(`${chord} `)
      }
    }
  }
  return { shortcut: undefined, prefix: startsSequence ? chord : undefined }
}

const KEY_LABELS: Record<string, string> = {
  enter: 'Enter',
  escape: 'Esc',
  space: uiMessages.spaceKey,
  contextmenu: uiMessages.menuKey,
  home: uiMessages.homeKey,
  end: uiMessages.endKey,
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
}

/** The alternatives of a shortcut, such as `j` and `arrowdown` of `j|arrowdown`. */
export const alternativesOf = (keys: string): string[] => keys.split('|')

/** Formats a shortcut as keyboards label it: "Ctrl K", "⌘ K", "G P", "Shift E". */
export function formatKeyChord(keys: string, apple: boolean): string {
  const modifiers: Record<string, string> = apple
    ? { mod: '⌘', alt: '⌥', shift: '⇧' }
    : { mod: uiMessages.controlKey, alt: 'Alt', shift: uiMessages.shiftKey }
  const [first = ''] = alternativesOf(keys)
  return first
    .split(/[ +](?=.)/)
    .map((part) => modifiers[part] ?? KEY_LABELS[part] ?? part.toUpperCase())
    .join(' ')
}
