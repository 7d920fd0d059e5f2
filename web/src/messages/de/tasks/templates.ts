import { plural } from '../../plural.ts'
import type { templateMessages } from '../../tasks/templates.ts'

const TASKS = { one: '# Aufgabe', other: '# Aufgaben' }

/** Texts of task templates and of copying tasks. */
export const germanTemplates: typeof templateMessages = {
  copyTitle: (id: string) => `${id} duplizieren`,
  withSubtasks: (n: number) =>
    plural(n, { one: 'Mit der Unteraufgabe', other: 'Mit den # Unteraufgaben' }),
  deeper: 'Kopiert auch deren Unteraufgaben.',
  keepStatus: 'Status behalten',
  keepStatusHint: 'Sonst erhalten die Kopien den Status neuer Aufgaben.',
  leftOut: 'Kommentare, Zeiteinträge, Anhänge und Wiederholung werden nicht kopiert.',
  copy: 'Duplizieren',
  copied: (id: string, n: number) =>
    n === 1 ? `${id} dupliziert` : `${id} dupliziert: ${plural(n, TASKS)}`,
  saveTitle: (id: string) => `${id} als Vorlage speichern`,
  name: 'Name',
  daysHint:
    'Daten werden als Tage nach dem Startdatum der Aufgabe gespeichert, ohne Startdatum nach ihrer Erstellung.',
  saved: (name: string) => `Vorlage „${name}“ gespeichert`,
  guest: 'Gäste können keine Vorlagen ändern.',
  archived: 'Dieses Projekt ist archiviert.',
  tab: 'Vorlagen',
  none: 'Noch keine Vorlagen. Speichern Sie eine Aufgabe über ihr Menü als Vorlage.',
  noneAnywhere: 'Noch keine Vorlagen. Speichern Sie eine Aufgabe über ihr Menü als Vorlage.',
  columns: ['', 'Vorlage', 'Aufgaben', 'Aktionen'],
  use: 'Verwenden',
  namedUse: (name: string) => `${name} verwenden`,
  edit: (name: string) => `${name} bearbeiten`,
  remove: (name: string) => `${name} löschen`,
  removed: (name: string) => `Vorlage ${name} gelöscht`,
  fromTemplate: 'Neue Aufgabe aus Vorlage',
  template: 'Vorlage',
  title: 'Titel',
  titleHint: 'Leer lassen, um den Titel der Vorlage zu verwenden.',
  on: 'Startdatum',
  make: 'Aufgaben erstellen',
  made: (id: string, n: number) =>
    n === 1 ? `${id} erstellt` : `${id} erstellt: ${plural(n, TASKS)}`,
  editTitle: 'Vorlage bearbeiten',
  starts: 'Beginnt nach (Tagen)',
  due: 'Fällig nach (Tagen)',
  drop: (title: string) => `${title} entfernen`,
  change: 'Speichern',
  changed: (name: string) => `Vorlage „${name}“ aktualisiert`,
  changedMeanwhile:
    'Jemand hat diese Vorlage inzwischen geändert. Erneutes Speichern ersetzt, was Sie beide geändert haben.',
  counted: (n: number) => plural(n, TASKS),
}
