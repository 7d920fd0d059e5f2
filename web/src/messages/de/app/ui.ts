import type { uiMessages } from '../../app/ui.ts'
import { plural } from '../../plural.ts'

export const germanUi: typeof uiMessages = {
  /** As keyboards label them. */
  controlKey: 'Strg',
  shiftKey: 'Umschalt',
  menuKey: 'Menü',
  spaceKey: 'Leertaste',
  homeKey: 'Pos1',
  endKey: 'Ende',
  priority: {
    none: 'Keine Priorität',
    low: 'Niedrige Priorität',
    medium: 'Mittlere Priorität',
    high: 'Hohe Priorität',
    urgent: 'Dringend',
  },
  morePeople: (n) => plural(n, { one: '# weitere Person', other: '# weitere Personen' }),
  more: (n) => `+${n}`,
  copy: 'Kopieren',
  copied: 'Kopiert',
  notCopied: 'Ihr Browser hat das Kopieren nicht erlaubt',
  copyRequest: 'ID der Anfrage kopieren',
  done: 'Fertig',
  loading: 'Lädt',
  failed: 'Ein Fehler ist aufgetreten.',
  retry: 'Erneut versuchen',
  undo: 'Rückgängig',
  redo: 'Wiederholen',
  dismiss: 'Schließen',
  close: 'Schließen',
  cancel: 'Abbrechen',
  find: 'Suchen',
  searching: 'Sucht …',
  nothingFound: 'Keine Ergebnisse',
}
