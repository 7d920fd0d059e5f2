import { plural } from '../plural.ts'
import type { m } from '../templates.ts'

const TASKS = { one: '# Aufgabe', other: '# Aufgaben' }

/** Kopien und Vorlagen von Aufgaben. */
export const templates: typeof m = {
  copyTitle: (id: string) => `${id} duplizieren`,
  withSubtasks: (n: number) =>
    plural(n, { one: 'Mit der Unteraufgabe', other: 'Mit den # Unteraufgaben' }),
  deeper: 'Und mit allem, was unter ihnen liegt.',
  keepStatus: 'Status behalten',
  keepStatusHint: 'Sonst beginnen die Kopien dort, wo neue Aufgaben beginnen.',
  leftOut: 'Kommentare, Zeiten, Dateien und Wiederholung werden nicht kopiert.',
  copy: 'Duplizieren',
  copied: (id: string, n: number) =>
    n === 1 ? `Kopie von ${id} erstellt` : `Kopie von ${id} erstellt: ${plural(n, TASKS)}`,
  save: 'Als Vorlage sichern',
  saveTitle: (id: string) => `${id} als Vorlage sichern`,
  name: 'Name',
  daysHint: 'Tage zählen ab dem Beginn der Aufgabe, sonst ab dem Tag, an dem sie entstand.',
  saved: (name: string) => `Vorlage „${name}“ gesichert`,
  guest: 'Gäste können Vorlagen nicht ändern.',
  archived: 'Das Projekt ist archiviert.',
  tab: 'Vorlagen',
  none: 'Es gibt keine Vorlage. Im Menü einer Aufgabe lässt sich eine sichern.',
  noneAnywhere: 'Es gibt noch keine Vorlage. Im Menü einer Aufgabe lässt sich eine sichern.',
  columns: ['', 'Vorlage', 'Aufgaben', 'Aktionen'],
  use: 'Verwenden',
  namedUse: (name: string) => `${name} verwenden`,
  edit: (name: string) => `${name} bearbeiten`,
  remove: (name: string) => `${name} löschen`,
  removed: (name: string) => `Vorlage ${name} gelöscht`,
  fromTemplate: 'Neue Aufgabe aus einer Vorlage',
  template: 'Vorlage',
  title: 'Titel',
  titleHint: 'Leer: wie in der Vorlage.',
  on: 'Tage zählen ab',
  make: 'Aufgaben erstellen',
  made: (id: string, n: number) =>
    n === 1 ? `${id} erstellt` : `${id} erstellt: ${plural(n, TASKS)}`,
  editTitle: 'Vorlage bearbeiten',
  starts: 'Beginnt nach Tagen',
  due: 'Fällig nach Tagen',
  drop: (title: string) => `${title} weglassen`,
  change: 'Sichern',
  changed: (name: string) => `Vorlage „${name}“ geändert`,
  counted: (n: number) => plural(n, TASKS),
}
