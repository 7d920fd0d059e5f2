import type { markdownMessages } from '../../app/markdown.ts'

export const germanMarkdown: typeof markdownMessages = {
  taskBox: 'Erledigt',
  notes: 'Anmerkungen',
  backToText: 'Zurück zum Text',
  unknownPerson: 'ein ehemaliges Mitglied',
  draftRestored: 'Entwurf wiederhergestellt.',
  dropDraft: 'Entwurf verwerfen',
  draftDropped: 'Entwurf verworfen',
  preview: 'Vorschau',
  emptyPreview: 'Keine Vorschau vorhanden',
  formatting: 'Formatierung',
  bold: 'Fett',
  italic: 'Kursiv',
  code: 'Code',
  link: 'Link',
  quote: 'Zitat',
  bullets: 'Aufzählung',
  boxes: 'Checkliste',
  heading: 'Überschrift',
  attach: 'Dateien anhängen',
  uploading: (name) => `[${name} wird hochgeladen …]()`,
  uploadFailed:
    'Eine Datei wurde nicht hochgeladen. Senden Sie erneut ab, um ohne sie fortzufahren.',
  save: 'Speichern',
  people: 'Personen',
}
