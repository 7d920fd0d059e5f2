import type { treegridKeyMessages } from '../../tasks/treegrid-keys.ts'

export const germanTreegridKeys: typeof treegridKeyMessages = {
  keysCells: 'Zeilen und Zellen',
  toCells: 'Nächste Zelle, oder Gruppe ausklappen',
  toRow: 'Vorige Zelle, Elternzeile, oder einklappen',
  toFirst: 'Erste Zeile oder Zelle',
  toLast: 'Letzte Zeile oder Zelle',
  changeCell: 'Zelle ändern',
}
