import type { searchMessages } from '../../app/search.ts'
import { formatList, formatNumber, plural } from '../../plural.ts'

const places = { title: 'Titel', description: 'Beschreibung', comments: 'Kommentare' }

export const germanSearch: typeof searchMessages = {
  title: 'Suche',
  of: (name) => `Aufgaben für ${name}`,
  nobodys: 'Dieser Person sind keine Aufgaben zugewiesen.',
  label: 'Aufgaben suchen',
  placeholder: 'Wörter suchen, oder DOC-42',
  hint: 'Durchsucht Titel, Beschreibungen und Kommentare. Jedes Wort findet Wörter, die so beginnen.',
  none: (q) => `Keine Ergebnisse für „${q}“. Versuchen Sie weniger oder kürzere Wörter.`,
  noneHere: (q) => `Keine Ergebnisse für „${q}“ mit diesen Filtern.`,
  everywhere: 'Überall suchen',
  count: (found, more) => (more ? `${formatNumber(found)}+` : formatNumber(found)),
  found: (n) => plural(n, { one: '# Aufgabe gefunden', other: '# Aufgaben gefunden' }),
  results: 'Suchergebnisse',
  filters: 'Suchfilter',
  project: 'Projekt',
  assignee: 'Zuständig',
  in: 'Gefunden in',
  former: 'Ehemaliges Mitglied',
  places,
  placeNames: (names) => formatList(names.map((one) => places[one])),
  remove: (what, value) => `Filter entfernen: ${what} ${value}`,
  where: { description: 'Beschreibung', comment: 'Kommentar' },
  more: 'Mehr anzeigen',
  cut: 'Auch ältere Aufgaben und Kommentare können passen. Fügen Sie ein Wort hinzu, um sie zu finden.',
  toField: 'Suche bearbeiten',
}
