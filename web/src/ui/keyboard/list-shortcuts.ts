import type { Shortcut } from './key-chords.ts'
import { listTablesAt } from './use-shortcuts.ts'

/** The shortcuts of a table that are listed for the user. */
interface ListedShortcuts {
  name: string
  shortcuts: Shortcut[]
}

/**
 * Lists the shortcuts of the place that has the focus by table, the highest first, with those that
 * wait for something, such as a cursor.
 */
export function listShortcuts(): ListedShortcuts[] {
  const listed = new Set<string>()
  const focus = document.activeElement ?? document.body
  return listTablesAt(focus)
    .toReversed()
    .flatMap(({ name, read }) => {
      const shortcuts = read().filter(({ keys, label, hidden }) => {
        // Where conditions decide, the same key may mean two things.
        const meaning = `${keys} ${label}`
        if (hidden || listed.has(meaning)) return false
        listed.add(meaning)
        return true
      })
      return shortcuts.length === 0 ? [] : [{ name, shortcuts }]
    })
}
