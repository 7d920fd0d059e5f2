import { formatNumber, plural } from '../../plural.ts'
import type { filterMessages } from '../../tasks/filter.ts'

/** Texts of a filter. */
export const germanFilter: typeof filterMessages = {
  is: (property) => `${property}:`,
  isNot: (property) => `${property} nicht:`,
  has: (property) => `${property} enthält`,
  hasText: (property, text) => `${property} enthält „${text}“`,
  orJoin: ' oder ',
  me: 'ich',
  openStatuses: 'offen',
  closedStatuses: 'abgeschlossen',
  dueWords: {
    overdue: 'überfällig',
    today: 'heute',
    tomorrow: 'morgen',
    week: 'diese Woche',
    nextweek: 'nächste Woche',
    none: 'keine',
    any: 'beliebig',
  },
  before: (day) => `vor ${day}`,
  after: (day) => `nach ${day}`,
  inDays: (n) => plural(n, { one: 'innerhalb von # Tag', other: 'innerhalb von # Tagen' }),
  inMore: (n) => plural(n, { one: 'in mehr als # Tag', other: 'in mehr als # Tagen' }),
  below: (time) => `weniger als ${time}`,
  above: (time) => `mehr als ${time}`,
  lastDays: (n) => plural(n, { one: 'am letzten Tag', other: 'in den letzten # Tagen' }),
  longerAgo: (n) => plural(n, { one: 'vor mehr als # Tag', other: 'vor mehr als # Tagen' }),

  conditions: 'Filterbedingungen',
  add: 'Filter hinzufügen',
  change: (chip) => `Filter ändern: ${chip}`,
  remove: (chip) => `Filter entfernen: ${chip}`,
  shown: (count, all) => `${formatNumber(count)} von ${formatNumber(all)}`,
  clear: 'Zurücksetzen',
  clearAll: 'Filter zurücksetzen',
  edit: 'Ändern',
  findProperty: 'Nach Eigenschaft, Wert oder Text filtern',
  findValue: {
    day: 'Freitag, 15.12., in 2 Wochen',
    age: '30 Tage, Freitag, 15.11.',
    duration: '2h, 45m, 1h 30m',
  },
  findText: 'Wörter in Titel oder Beschreibung',
  operator: 'Bedingung',
  operators: {
    any: 'ist eines von',
    none: 'ist keines von',
    on: 'ist',
    before: 'liegt vor',
    after: 'liegt nach',
    within: 'liegt in den letzten',
    longer: 'liegt länger zurück als',
    below: 'ist weniger als',
    above: 'ist mehr als',
  },
  noDate: 'Noch kein Datum',
  noDuration: 'Noch keine Dauer',
  properties: 'Alle Eigenschaften',
  advanced: 'Erweitert',
  typed: 'Filter als Text',
  typedHelp: (properties) =>
    `Eigenschaften: ${properties}. Ein Minus schließt aus, ein Komma heißt „oder“, Anführungszeichen halten Wörter zusammen.`,
  apply: 'Anwenden',
  wrong: {
    property: (name) =>
      `Es gibt keine Eigenschaft „${name}“. Setzen Sie gesuchte Wörter in Anführungszeichen.`,
    value: (value, property) =>
      `„${value}“ passt zu keinem Wert von „${property}“ oder zu mehreren.`,
    missing: (token) => `Nach „${token}“ fehlt ein Wert.`,
    date: (value, examples) => `„${value}“ ist kein Datum. Schreiben Sie eines von: ${examples}.`,
    duration: (value, examples) =>
      `„${value}“ ist keine Dauer. Schreiben Sie zum Beispiel: ${examples}.`,
    negated: (name) => `„${name}“ lässt sich nicht mit einem Minus ausschließen.`,
    quote: 'Ein schließendes Anführungszeichen fehlt.',
  },
}
