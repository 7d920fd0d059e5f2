import type { roleMessages } from '../../app/roles.ts'

export const germanRoles: typeof roleMessages = {
  owner: { name: 'Inhaber', inSentence: 'Inhaber', hint: 'Alles, auch der Tarif' },
  admin: { name: 'Admin', inSentence: 'Admin', hint: 'Alle Projekte, Personen und Webhooks' },
  member: {
    name: 'Mitglied',
    inSentence: 'Mitglied',
    hint: 'Arbeitet in Projekten, erstellt Projekte und API-Schlüssel',
  },
  guest: { name: 'Gast', inSentence: 'Gast', hint: 'Nur Projekte, zu denen Sie sie hinzufügen' },
}
