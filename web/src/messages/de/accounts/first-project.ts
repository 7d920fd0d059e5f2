import type { firstProjectChecklist } from '../../accounts/first-project.ts'

export const germanFirstProject: typeof firstProjectChecklist = {
  name: 'Erste Schritte',
  description:
    'Ein paar Dinge zum Ausprobieren. Klicken Sie auf den Kreis, um eine Aufgabe zu erledigen.',
  tasks: [
    {
      title: 'Diese Aufgabe erledigen',
      description:
        'Auf den Kreis vor dem Titel klicken, oder in der geöffneten Aufgabe `Mod+Enter` drücken.',
    },
    {
      title: 'Eine eigene Aufgabe erstellen',
      description: '`C` drücken und zum Beispiel `Mei anrufen morgen !hoch #telefon` eingeben.',
    },
    {
      title: 'Mit Mod+K alles finden',
      description: 'Aufgaben, Projekte und Personen suchen oder einen Befehl ausführen.',
    },
    {
      title: 'Aufgaben als Board ansehen',
      description: '`2` zeigt das Board, `1` die Liste.',
    },
    {
      title: 'Das erste eigene Projekt erstellen',
      description: 'Projekte → Neues Projekt. Aufgaben-IDs beginnen mit seinem Präfix.',
    },
    {
      title: 'Jemanden einladen',
      description:
        'Einstellungen → Mitglieder → Einladen. Der Link lässt sich beliebig verschicken.',
    },
    {
      title: 'Die API aufrufen',
      description:
        'Einstellungen → Integrationen → Neuer API-Schlüssel. Ein `curl`-Befehl zum Testen ist dabei.',
    },
    {
      title: 'Ereignisse per Webhook empfangen',
      description: 'Einstellungen → Integrationen → Webhooks. Das Protokoll zeigt jede Zustellung.',
    },
  ],
}
