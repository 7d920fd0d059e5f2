import { formatNumber, plural } from '../../plural.ts'
import type { quickAddMessages } from '../../tasks/quick-add.ts'

const count = (n: number) => plural(n, { one: '# Aufgabe', other: '# Aufgaben' })

export const germanQuickAdd: typeof quickAddMessages = {
  enter: 'Enter',
  chips: {
    tag: 'Tag',
    'new tag': 'neues Tag',
    who: 'zuständig',
    priority: 'Priorität',
    due: 'fällig',
  },
  takeOffChip: (kind, name) => `${kind} ${name} entfernen`,
  leftOut: (title) => `„${title}“ erstellt, vom aktuellen Filter ausgeblendet`,
  pastedAsk: (n) => `Aus diesen Zeilen ${count(n)} erstellen?`,
  pastedMake: (n) => `${count(n)} erstellen`,
  pastedOne: 'Als einen Titel einfügen',
  andMore: (n) => `und ${formatNumber(n)} mehr`,
}
