import { formatNumber, plural } from '../../plural.ts'
import type { workspaceMessages } from '../../settings/workspace.ts'

export const germanWorkspace: typeof workspaceMessages = {
  why: 'Einstellungen für alle in diesem Workspace.',
  general: 'Allgemein',
  name: 'Name',
  id: 'ID',
  idHint: 'Bezeichnet diesen Workspace in Befehlen und in der API.',
  copyId: 'Workspace-ID kopieren',
  zone: 'Zeitzone',
  zoneHint: 'Gilt für Fälligkeiten und wiederkehrende Aufgaben.',
  plan: 'Tarif',
  plans: { free: 'Kostenlos', paid: 'Bezahlt' },
  planHint: (n) =>
    `${formatNumber(n)} Anfragen pro Minute für API-Schlüssel und Anwendungen, und ebenso viele für die Web-App.`,
  planOwners: 'Nur Inhaber können den Tarif ändern.',
  saved: 'Workspace gespeichert',
  usage: 'API-Nutzung',
  usageFinding: (peak, limit, at) =>
    `Höchstwert: ${formatNumber(peak)} von ${formatNumber(limit)} Anfragen pro Minute, um ${at}`,
  usageRefused: (n, minutes) =>
    `${plural(n, { one: '# Anfrage', other: '# Anfragen' })} in ${plural(minutes, { one: '# Minute', other: '# Minuten' })} abgelehnt.`,
  usageNone: 'Keine Anfragen von API-Schlüsseln oder Anwendungen in den letzten 24 Stunden',
  usageWhy:
    'Anfragen von API-Schlüsseln und Anwendungen pro Minute in den letzten 24 Stunden. Die Web-App hat ein eigenes Limit.',
  webAppUsage: (peak, limit, at) =>
    `Web-App: höchstens ${formatNumber(peak)} von ${formatNumber(limit)} Anfragen pro Minute, um ${at}.`,
  storage: (used, limit) => `Speicher: ${used} von ${limit}.`,
  chart: 'Diagramm',
  table: 'Tabelle',
  limit: (n) => `Limit ${formatNumber(n)}`,
  hourColumns: ['Stunde', 'Anfragen', 'Höchstwert pro Minute', 'Abgelehnt (429)'],
  chartLabel: (finding) =>
    `${finding}. Lesen Sie das Diagramm mit den Pfeiltasten, oder öffnen Sie die Tabelle.`,
  readout: (at, used, refused) =>
    refused === 0
      ? `${at}: ${formatNumber(used)} pro Minute`
      : `${at}: ${formatNumber(used)} pro Minute, ${formatNumber(refused)} abgelehnt`,
  now: 'jetzt',
  hoursAgo: (n) => `-${n} Std.`,
  top: 'Häufigste Clients',
  topColumns: ['Anfragen', 'Zugang', 'Typ'],
  types: {
    api_key: 'API-Schlüssel',
    oauth: 'Anwendung',
    session: 'Web-App',
    others: 'alle anderen',
  },
  deletion: 'Workspace löschen',
  deletionWhy:
    'API-Schlüssel, Anwendungen und Webhooks enden sofort, und alle verlieren den Zugriff. Inhaber können den Workspace 30 Tage lang wiederherstellen; danach wird er mit allen Aufgaben, Dateien und Kommentaren endgültig gelöscht.',
  deletionOwners: 'Nur Inhaber können den Workspace löschen.',
  deleteDo: 'Workspace löschen …',
  deleteTitle: (name) => `${name} löschen?`,
  deleteName: (name) => `Zur Bestätigung „${name}“ eingeben`,
  deletePassword: 'Passwort',
  deleteFinal: 'Workspace löschen',
}
