import type { m } from '../tour.ts'

export const tour: typeof m = {
  name: 'Rundgang',
  place: (step, of) => `${step} von ${of}`,
  steps: {
    number: {
      title: 'Jede Aufgabe hat eine Nummer',
      text: 'Man kann sie sagen, tippen und verlinken: Eine Nummer wie DOC-42 führt aus der Suche, aus einem Kommentar und als Adresse zu ihrer Aufgabe.',
    },
    find: {
      title: 'Eine Taste findet und tut alles',
      text: (keys) => `${keys} nimmt eine Nummer, Wörter oder einen Befehl.`,
    },
    write: {
      title: 'Eine Aufgabe ist eine Zeile',
      text: 'C beginnt sie in jedem Projekt: „Mei anrufen morgen !hoch #telefon“ hat ein Datum, eine Priorität und einen Tag.',
    },
    undo: {
      title: 'Nichts geht verloren',
      text: (keys) =>
        `Eine Änderung ist sofort da und lässt sich mit ${keys} rückgängig machen. Entwürfe bleiben, und Gelöschtes liegt im Papierkorb.`,
    },
    begin: {
      title: 'Der Rest ist zur Hand',
      text: 'Das Fragezeichen zeigt die Tasten jeder Ansicht. Diesen Rundgang gibt es im Menü des Kontos.',
    },
  },
  next: 'Weiter',
  skip: 'Überspringen',
  done: 'Fertig',
  toChecklist: 'Zu den ersten Schritten',
}
