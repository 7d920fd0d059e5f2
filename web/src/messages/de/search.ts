import { listed, plural } from '../plural.ts'
import type { m } from '../search.ts'

const places = { title: 'Titel', description: 'Beschreibung', comments: 'Kommentare' }

export const search: typeof m = {
  title: 'Suche',
  of: (name) => `Aufgaben von ${name}`,
  nobodys: 'Dieser Person ist nichts zugewiesen.',
  label: 'Wörter, oder die Nummer einer Aufgabe',
  placeholder: 'Wörter, oder DOC-42',
  hint: 'Jedes eingegebene Wort muss ein Wort in Titel, Beschreibung oder einem Kommentar beginnen.',
  none: (q) => `Nichts enthält alles aus „${q}“. Versuchen Sie weniger oder kürzere Wörter.`,
  noneHere: (q) => `Nichts hier enthält alles aus „${q}“.`,
  everywhere: 'Überall suchen',
  count: (found, more) => (more ? `${found}+` : String(found)),
  found: (n) => plural(n, { one: '# Aufgabe gefunden', other: '# Aufgaben gefunden' }),
  results: 'Gefundene Aufgaben',
  filters: 'Suche eingrenzen',
  project: 'Projekt',
  assignee: 'Zuständig',
  in: 'Wo',
  former: 'Jemand, der nicht mehr dabei ist',
  places,
  placeNames: (names) => listed(names.map((one) => places[one])),
  remove: (what, value) => `Filter ${what} ${value} entfernen`,
  where: { description: 'Beschreibung', comment: 'Kommentar' },
  more: 'Mehr zeigen',
  cut: 'Unter älteren Aufgaben und Kommentaren gibt es mehr. Ein weiteres Wort findet sie.',
  toField: 'Wörter ändern',
}
