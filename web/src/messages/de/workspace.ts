import { number, plural } from '../plural.ts'
import type { m } from '../workspace.ts'

export const workspace: typeof m = {
  why: 'Was hier für alle gilt.',
  general: 'Allgemein',
  name: 'Name',
  zone: 'Zeitzone',
  zoneHint: 'Für das, was zu niemandem gehört, z. B. Berichte des Workspace.',
  plan: 'Tarif',
  plans: { free: 'Kostenlos', paid: 'Bezahlt' },
  planHint: (n) => `${number(n)} API-Anfragen pro Minute.`,
  planOwners: 'Nur Inhaber ändern ihn.',
  planLocked: 'Den Tarif legt fest, wer diese Installation betreibt.',
  saved: 'Workspace gespeichert',
  usage: 'API-Nutzung',
  usageFinding: (peak, limit, at) =>
    `Höchstens ${number(peak)} von ${number(limit)} Anfragen pro Minute, um ${at}`,
  usageRefused: (n, minutes) =>
    `${plural(n, { one: '# Anfrage', other: '# Anfragen' })} in ${plural(minutes, { one: '# Minute', other: '# Minuten' })} abgelehnt.`,
  usageNone: 'Keine Anfrage in den letzten 24 Stunden',
  usageWhy: 'Anfragen pro Minute in den letzten 24 Stunden; die App zählt mit.',
  chart: 'Diagramm',
  table: 'Tabelle',
  limit: (n) => `Limit ${number(n)}`,
  hourColumns: ['Stunde', 'Anfragen', 'Höchstens pro Minute', 'Abgelehnt (429)'],
  chartLabel: (finding) =>
    `${finding}. Pfeiltasten lesen die Zahlen vor; die Tabelle enthält alle.`,
  readout: (at, used, refused) =>
    refused === 0
      ? `${at}: ${number(used)} pro Minute`
      : `${at}: ${number(used)} pro Minute, ${number(refused)} abgelehnt`,
  now: 'jetzt',
  hoursAgo: (n) => `-${n} Std.`,
  top: 'Wer am meisten fragte',
  topColumns: ['Anfragen', 'Zugang', 'Art'],
  types: {
    api_key: 'API-Schlüssel',
    oauth: 'Anwendung',
    session: 'Web-App',
    others: 'alle anderen',
  },
  deletion: 'Workspace löschen',
  deletionWhy:
    'Schlüssel, Anwendungen und Webhooks enden sofort, und niemand kommt mehr hinein. 30 Tage lang kann er wiederhergestellt werden, wie er war; dann wird er mit allen Aufgaben, Dateien und Kommentaren getilgt.',
  deletionOwners: 'Nur Inhaber löschen den Workspace.',
  deleteDo: 'Workspace löschen …',
  deleteTitle: (name) => `${name} löschen?`,
  deleteName: (name) => `Namen eingeben: ${name}`,
  deletePassword: 'Ihr Passwort',
  deleteFinal: 'Workspace löschen',
}
