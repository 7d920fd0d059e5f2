import type { firstStepsMessages } from '../../app/first-steps.ts'

export const germanFirstSteps: typeof firstStepsMessages = {
  title: 'Erste Schritte',
  steps: {
    task: ['Eine Aufgabe erstellen', 'In einer Zeile, etwa „Mei anrufen morgen !hoch #telefon“'],
    find: ['Alles finden', 'Aufgaben, Projekte, Personen und jeden Befehl'],
    keys: ['Tastenkürzel lernen', 'Die der Ansicht, in der Sie sind'],
    profile: ['Profil einrichten', 'Zeitzone, Benachrichtigungen und Geräte'],
    invite: ['Personen einladen', 'Per E-Mail oder mit einem Link'],
    import: ['Aufgaben importieren', 'Aus einer Tabelle oder einem anderen Werkzeug'],
    api: ['Die API aufrufen', 'Mit einem Schlüssel und einem curl-Befehl zum Testen'],
  },
  done: 'erledigt',
  dismiss: 'Ausblenden',
}
