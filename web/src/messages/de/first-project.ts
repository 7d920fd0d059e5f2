import type { checklist } from '../first-project.ts'

export const firstProject: typeof checklist = {
  name: 'Erste Schritte',
  description: 'Was man zuerst ausprobiert. Ein Druck auf den Ring erledigt eine Aufgabe.',
  tasks: [
    {
      title: 'Diese Aufgabe erledigen',
      description: 'Auf den Ring vor dem Titel drücken, oder `Mod+Enter` in der offenen Aufgabe.',
    },
    {
      title: 'Eine eigene Aufgabe schreiben',
      description:
        '`C` öffnet eine Zeile oben in der Liste; zum Beispiel `Mei anrufen morgen !hoch #telefon`.',
    },
    {
      title: 'Mit Mod+K alles finden',
      description: 'Aufgaben nach Nummer oder Wörtern, Projekte, Personen und jeden Befehl.',
    },
    {
      title: 'Dieselbe Arbeit als Board ansehen',
      description: '`2` zeigt das Board, `1` die Liste.',
    },
    {
      title: 'Ein Projekt für echte Arbeit anlegen',
      description: 'Projekte, Neues Projekt. Das Präfix wird zum Namen seiner Aufgaben.',
    },
    {
      title: 'Jemanden einladen',
      description: 'Einstellungen, Mitglieder, Einladen. Den Link kann man auf jedem Weg schicken.',
    },
    {
      title: 'Die API fragen',
      description: 'Einstellungen, API-Zugang, Neuer Schlüssel. Ein fertiges `curl` ist dabei.',
    },
    {
      title: 'Sich von einem Webhook berichten lassen',
      description: 'Einstellungen, Webhooks. Jede Zustellung steht im Protokoll.',
    },
  ],
}
