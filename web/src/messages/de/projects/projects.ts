import { formatChoice, formatList, plural } from '../../plural.ts'
import type { LosingMember, projectMessages } from '../../projects/projects.ts'

const toLoss = ({ name, tasks }: LosingMember): string =>
  tasks === 0
    ? name
    : `${name} (${plural(tasks, { one: '# offene Aufgabe', other: '# offene Aufgaben' })})`

export const germanProjects: typeof projectMessages = {
  title: 'Projekte',
  say: (active, archived) =>
    [
      plural(active, { one: '# aktiv', other: '# aktiv' }),
      plural(archived, { one: '# archiviert', other: '# archiviert' }),
    ].join(', '),
  create: 'Neues Projekt',
  createReason: 'Gäste können keine Projekte erstellen.',
  search: 'Projekte suchen',
  searchHint: 'Suchen',
  active: 'Aktiv',
  archived: 'Archiviert',
  sort: 'Sortieren nach',
  sorts: {
    name: 'Name',
    target: 'Zieltermin',
    progress: 'Fortschritt',
  },
  columns: ['Präfix', 'Name', 'Leitung', 'Fortschritt', 'Zieltermin'],
  moreColumn: 'Einstellungen',
  settingsOf: (name) => `Einstellungen von ${name}`,
  noLead: 'Keine Leitung',
  progress: (done, all) => (all === 0 ? 'Keine Aufgaben' : `${done} von ${all}`),
  progressLong: (counts) =>
    [
      `${counts.completed ?? 0} erledigt`,
      `${counts.started ?? 0} in Arbeit`,
      `${counts.unstarted ?? 0} offen`,
      `${counts.backlog ?? 0} im Backlog`,
      `${counts.canceled ?? 0} abgebrochen`,
    ].join(', '),
  overdue: (n) => plural(n, { one: '# überfällig', other: '# überfällig' }),
  late: (words) => `${words} überfällig`,
  noTarget: 'Kein Zieltermin',
  empty: 'Noch keine Projekte. Erstellen Sie eines, um Aufgaben hinzuzufügen.',
  emptyGuest: (names) =>
    `Sie sind noch in keinem Projekt. Bitten Sie ${formatChoice(names)}, Sie hinzuzufügen.`,
  emptyArchived: 'Keine archivierten Projekte.',
  emptySearch: (q) => `Keine Projekte passen zu „${q}“.`,
  clearSearch: 'Suche leeren',

  dialogTitle: 'Neues Projekt',
  fields: {
    name: 'Name',
    prefix: 'Präfix',
    icon: 'Symbol',
    color: 'Farbe',
    description: 'Beschreibung',
    lead: 'Leitung',
    start: 'Startdatum',
    target: 'Zieltermin',
    visibility: 'Sichtbar für',
    template: 'Status',
  },
  prefixHint: (prefix) => `Aufgaben-IDs sehen so aus: ${prefix}-1, ${prefix}-2 …`,
  prefixMade: 'Leer lassen, um es aus dem Namen zu bilden.',
  iconHint: 'Ein Emoji. Optional.',
  visibilities: {
    workspace: 'Alle im Workspace',
    private: 'Nur Projektmitglieder',
  },
  visibilityHint: {
    workspace: 'Gäste sehen es nur, wenn Sie sie zum Projekt hinzufügen.',
    private: 'Inhaber und Admins sehen jedes Projekt.',
  },
  templates: {
    usual: 'Backlog, To do, In progress, In review, Done',
    simple: 'Offen, Erledigt',
    support: 'Neu, Wartet, In Arbeit, Gelöst',
    writing: 'Ideen, Entwurf, Redaktion, Veröffentlicht',
  },
  createDo: 'Projekt erstellen',
  created: (name) => `${name} erstellt`,
  cancel: 'Abbrechen',

  settings: 'Projekteinstellungen',
  back: (name) => `Zurück zu ${name}`,
  sections: 'Bereiche der Projekteinstellungen',
  tabs: {
    general: 'Allgemein',
    statuses: 'Status',
    tags: 'Schlagwörter',
    templates: 'Vorlagen',
    people: 'Personen',
  },
  notAllowed: 'Nur Inhaber, Admins und die Projektleitung können das ändern.',
  toProject: 'Zum Projekt',
  unknown: (prefix) => `Projekt ${prefix} nicht gefunden.`,
  toProjects: 'Alle Projekte',

  save: 'Speichern',
  saved: 'Gespeichert',
  changedMeanwhile:
    'Jemand anderes hat das inzwischen geändert. Speichern Sie erneut, um es zu ersetzen.',
  nobody: 'Niemand',
  prefixChange: (old, now) =>
    `Aufgaben-IDs lauten dann ${now}-1 und so weiter. Links und Suchen mit ${old}-1 funktionieren weiter.`,
  privateChange: (losing = []) =>
    [
      'Nur Projektmitglieder, die Leitung, Inhaber und Admins sehen es.',
      ...(losing.length > 0
        ? [`Es ist dann verborgen vor: ${formatList(losing.map(toLoss))}.`]
        : []),
    ].join(' '),
  archive: 'Archivieren',
  archiveWhy:
    'Das Projekt lässt sich nicht mehr ändern, und laufende Timer werden gestoppt. Sie können die Archivierung jederzeit aufheben.',
  archiveDo: 'Projekt archivieren',
  unarchiveDo: 'Archivierung aufheben',
  archivedSince: (when) => `Archiviert ${when}. Dieses Projekt lässt sich nicht ändern.`,
  archivedDone: (name) => `${name} archiviert`,
  unarchivedDone: (name) => `Archivierung von ${name} aufgehoben`,

  statusesWhy:
    'Listen und Boards verwenden diese Reihenfolge. Neue Aufgaben erhalten den ersten Status „Offen“; erledigte Aufgaben erhalten den ersten Status „Erledigt“.',
  categories: {
    backlog: 'Backlog',
    unstarted: 'Offen',
    started: 'In Arbeit',
    completed: 'Erledigt',
    canceled: 'Abgebrochen',
  },
  categoryOf: (name) => `Kategorie von ${name}`,
  nameOf: (name) => `Name von ${name}`,
  colourOf: (name) => `Farbe von ${name}`,
  moveUp: (name) => `${name} nach oben`,
  moveDown: (name) => `${name} nach unten`,
  dragStatus: (name) => `${name}: ziehen, oder Alt und eine Pfeiltaste drücken`,
  movedTo: (name, place, of) => `${name} ist jetzt ${place} von ${of}`,
  removeStatus: (name) => `${name} entfernen`,
  addStatus: 'Status hinzufügen',
  newStatus: 'Neuer Status',
  statusCount: (n) => plural(n, { one: '# Aufgabe', other: '# Aufgaben' }),
  unsaved: 'Noch nicht gespeichert',
  discard: 'Verwerfen',
  oneDone:
    'Sie brauchen mindestens einen Status in Erledigt und einen in Backlog, Offen oder In Arbeit.',
  whereTo: (name) => `Aufgaben aus ${name} verschieben?`,
  whereToWhy: (name) =>
    `${name} enthält noch Aufgaben. Sie werden in den gewählten Status verschoben, dann wird ${name} entfernt.`,
  moveInto: 'Verschieben nach',
  moveAndRemove: 'Verschieben und entfernen',
  moving: (done, all) => `${done} von ${all} verschoben …`,
  notMoved: (n) =>
    plural(n, {
      one: '# Aufgabe wurde nicht verschoben',
      other: '# Aufgaben wurden nicht verschoben',
    }),
  inUse:
    'Die Kategorie eines Status mit Aufgaben lässt sich nicht ändern. Verschieben Sie zuerst die Aufgaben, oder fügen Sie einen Status hinzu.',

  tagsWhy: 'Schlagwörter gehören nur zu diesem Projekt.',
  tagColumns: ['Aufgaben', 'Schlagwort', 'Farbe', 'Aktionen'],
  newTag: 'Neues Schlagwort',
  addTag: 'Schlagwort hinzufügen',
  tagCount: (n) => plural(n, { one: '# Aufgabe', other: '# Aufgaben' }),
  renameTag: (name) => `${name} umbenennen`,
  deleteTag: (name) => `${name} löschen`,
  colour: 'Farbe',
  hues: {
    25: 'Rot',
    45: 'Orange',
    70: 'Bernstein',
    95: 'Gelb',
    130: 'Grün',
    163: 'Flaschengrün',
    195: 'Petrol',
    225: 'Cyan',
    255: 'Blau',
    282: 'Indigo',
    310: 'Violett',
    345: 'Rosa',
  },
  tagExists: (name) => `Ein Schlagwort namens ${name} gibt es bereits.`,
  merge: (from, into) => `${from} mit ${into} zusammenführen`,
  mergeDo: (n) =>
    plural(n, { one: '# Aufgabe zusammenführen', other: '# Aufgaben zusammenführen' }),
  mergeWith: (name) => `${name} mit anderem Schlagwort zusammenführen`,
  mergeTitle: (name) => `${name} zusammenführen mit`,
  mergeWhy:
    'Die Aufgaben erhalten das andere Schlagwort, dann wird dieses gelöscht. Das lässt sich nicht rückgängig machen.',
  merged: (from, into) => `${from} mit ${into} zusammengeführt`,
  noTags:
    'Noch keine Schlagwörter. Fügen Sie eines hinzu, um Aufgaben dieses Projekts zu gruppieren.',
  guestTags: 'Gäste können keine Schlagwörter ändern.',
  archivedReason: 'Dieses Projekt ist archiviert.',

  peopleWhy: {
    workspace:
      'Alle im Workspace sehen dieses Projekt. Gäste sehen es nur, wenn Sie sie hier hinzufügen.',
    private: 'Nur die Personen hier, die Projektleitung, Inhaber und Admins sehen dieses Projekt.',
  },
  peopleColumns: ['Dabei seit', 'Name', 'Rolle', 'Aktionen'],
  remove: 'Entfernen',
  addPerson: 'Personen hinzufügen',
  removePerson: (name) => `${name} entfernen`,
  noPeople: 'Noch niemand hinzugefügt.',
  addedPerson: (name) => `${name} hinzugefügt`,
  removedPerson: (name) => `${name} entfernt`,
  everybodyListed: 'Alle sind hinzugefügt.',
}
