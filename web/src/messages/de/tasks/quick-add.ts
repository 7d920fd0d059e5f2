import { formatNumber, plural } from '../../plural.ts'
import type { quickAddMessages } from '../../tasks/quick-add.ts'

const count = (n: number) => plural(n, { one: '# Aufgabe', other: '# Aufgaben' })

export const germanQuickAdd: typeof quickAddMessages = {
  enter: 'Enter',
  chips: {
    tag: 'Schlagwort',
    'new tag': 'neues Schlagwort',
    who: 'zuständig',
    priority: 'Priorität',
    status: 'Status',
    due: 'fällig',
    repeat: 'wiederholt',
    estimate: 'Schätzung',
  },
  takeOffChip: (kind, name) => `${kind} ${name} entfernen`,
  values: 'Werte',
  suggestions: 'Personen und Schlagwörter',
  addAndAssign: (person, project) => `${person} zu ${project} hinzufügen und zuweisen`,
  added: (person, project) => `${person} zu ${project} hinzugefügt`,
  createTag: (name) => `Neues Schlagwort „${name}“`,
  leftOut: (title) => `„${title}“ erstellt, vom aktuellen Filter ausgeblendet`,
  pastedAsk: (n, project) => `Aus diesen Zeilen ${count(n)} in ${project} erstellen?`,
  pastedMake: (n) => `${count(n)} erstellen`,
  pastedOne: 'Als einen Titel einfügen',
  pastedUnread: (cells) => `Kein Feld nimmt das auf, es kommt in die Beschreibung: ${cells}.`,
  andMore: (n) => `und ${formatNumber(n)} mehr`,
}
