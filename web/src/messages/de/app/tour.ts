import type { tourMessages } from '../../app/tour.ts'

export const germanTour: typeof tourMessages = {
  name: 'Rundgang',
  place: (step, of) => `${step} von ${of}`,
  steps: {
    number: {
      title: 'Jede Aufgabe hat eine ID',
      text: 'Eine ID wie DOC-42 führt in der Suche, in einem Kommentar oder als Link direkt zur Aufgabe.',
    },
    find: {
      title: 'Alles mit einem Tastenkürzel finden',
      text: (keys) =>
        `Mit ${keys} suchen Sie Aufgaben, Projekte und Personen oder führen einen Befehl aus.`,
    },
    write: {
      title: 'Aufgaben in einer Zeile erstellen',
      text: 'Drücken Sie überall C und geben Sie „Mei anrufen morgen !hoch #telefon“ ein, um Fälligkeit, Priorität und Schlagwort festzulegen.',
    },
    undo: {
      title: 'Alles rückgängig machen',
      text: (keys) =>
        `Änderungen gelten sofort und lassen sich mit ${keys} rückgängig machen. Entwürfe bleiben erhalten, und gelöschte Aufgaben liegen im Papierkorb.`,
    },
    begin: {
      title: 'Tastenkürzel lernen',
      text: 'Drücken Sie ?, um die Tastenkürzel jeder Ansicht zu sehen. Den Rundgang finden Sie auch im Kontomenü.',
    },
  },
  touchSteps: {
    find: {
      title: 'Alles finden',
      text: 'Die Suche findet Aufgaben, Projekte und Personen und führt jeden Befehl aus.',
    },
    write: {
      title: 'Aufgaben in einer Zeile erstellen',
      text: 'Tippen Sie auf „Neu“ und geben Sie „Mei anrufen morgen !hoch #telefon“ ein, um Fälligkeit, Priorität und Schlagwort festzulegen.',
    },
    undo: {
      title: 'Alles rückgängig machen',
      text: 'Änderungen gelten sofort und lassen sich rückgängig machen. Entwürfe bleiben erhalten, und gelöschte Aufgaben liegen im Papierkorb.',
    },
    begin: {
      title: 'Aufgaben wischen',
      text: 'Nach rechts wischen erledigt eine Aufgabe, nach links ändert ihre Fälligkeit. Den Rundgang finden Sie auch im Menü.',
    },
  },
  next: 'Weiter',
  skip: 'Überspringen',
  done: 'Fertig',
  toChecklist: 'Checkliste öffnen',
}
