import { plural } from '../../plural.ts'
import type { memberMessages } from '../../settings/members.ts'

export const germanMembers: typeof memberMessages = {
  why: 'Mitglieder können in allen geteilten Projekten arbeiten. Gäste sehen nur Projekte, zu denen Sie sie hinzufügen.',
  list: 'Mitglieder',
  columns: ['Dabei seit', 'Name', 'E-Mail', 'Rolle', 'Zuletzt aktiv'],
  actionsColumn: 'Aktionen',
  you: 'Sie',
  roleOf: (name) => `Rolle von ${name}`,
  roleChanged: (name, role) => `Rolle von ${name} in ${role} geändert`,
  lastOwner: 'Ein Workspace braucht einen Inhaber. Geben Sie die Rolle zuerst jemand anderem.',
  onlyOwners: 'Nur Inhaber können diese Rolle ändern.',
  neverActive: 'Nie',
  remove: 'Entfernen',
  leave: 'Verlassen',
  removeOf: (name) => `${name} entfernen`,
  removeTitle: (name) => `${name} aus dem Workspace entfernen?`,
  leaveTitle: 'Den Workspace verlassen?',
  removeWhy: (name) =>
    `API-Schlüssel, Sitzungen und Timer von ${name} in diesem Workspace enden sofort. Aufgaben und Kommentare bleiben, und Webhooks funktionieren weiter.`,
  openTasks: (n, recurring, name) =>
    `${plural(n, { one: '# offene Aufgabe ist', other: '# offene Aufgaben sind' })} ${name} zugewiesen${recurring > 0 ? `, ${plural(recurring, { one: '# davon wiederholt sich', other: '# davon wiederholen sich' })}` : ''}.`,
  led: (n, name) => `${name} leitet ${plural(n, { one: '# Projekt', other: '# Projekte' })}.`,
  toLeads: 'Der jeweiligen Projektleitung zuweisen',
  tasksGoHints: {
    keep: 'Offene Aufgaben bleiben zugewiesen. Geleitete Projekte haben danach keine Leitung.',
    nobody:
      'Offene Aufgaben verlieren diese Zuweisung. Geleitete Projekte haben danach keine Leitung.',
    leads:
      'In selbst geleiteten Projekten und solchen ohne Leitung sind Aufgaben danach nicht zugewiesen. Geleitete Projekte haben danach keine Leitung.',
    person:
      'Wer die Aufgaben erhält, leitet auch die geleiteten Projekte. In Projekten, die diese Person nicht sieht, sind Aufgaben danach nicht zugewiesen, und die Leitung ist frei.',
  },
  noOpenTasks: (name) => `${name} hat keine offenen Aufgaben.`,
  counting: 'Offene Aufgaben werden gezählt …',
  tasksGo: 'Offene Aufgaben',
  keep: 'Zugewiesen lassen',
  unassign: 'Zuweisung aufheben',
  reassign: (name) => `${name} zuweisen`,
  removeDo: (name) => `${name} entfernen`,
  moving: (done, all) => `${done} von ${all} neu zugewiesen …`,
  removed: (name) => `${name} entfernt`,
  reassigned: (n) =>
    plural(n, { one: '# Aufgabe neu zugewiesen', other: '# Aufgaben neu zugewiesen' }),
  unassigned: (n) =>
    plural(n, {
      one: '# Aufgabe nicht mehr zugewiesen',
      other: '# Aufgaben nicht mehr zugewiesen',
    }),
  notMoved: (n) =>
    plural(n, {
      one: '# Aufgabe oder Projekt konnte nicht übergeben werden',
      other: '# Aufgaben oder Projekte konnten nicht übergeben werden',
    }),
  invite: 'Einladen',
  inviteTitle: 'Personen einladen',
  emails: 'E-Mail-Adressen',
  emailsHint: 'Trennen Sie mehrere durch Kommas oder Zeilenumbrüche.',
  role: 'Rolle',
  guestProjects: 'Projekte',
  guestProjectsHint:
    'Gäste sehen nur diese Projekte. Ohne Projekt sehen sie nichts, bis jemand sie zu einem hinzufügt.',
  inviteDo: (n) =>
    n === 0 ? 'Einladen' : plural(n, { one: '# Person einladen', other: '# Personen einladen' }),
  notEmails: (words) => `Keine E-Mail-Adresse: ${words}`,
  noEmail: 'Geben Sie mindestens eine E-Mail-Adresse ein.',
  invited: (n) => plural(n, { one: '# Einladung erstellt.', other: '# Einladungen erstellt.' }),
  invitedMailed:
    'Wir haben sie auch per E-Mail verschickt. Die Links gelten sieben Tage und werden nur jetzt angezeigt.',
  invitedNoMail:
    'Verschicken Sie die Links selbst. Sie gelten sieben Tage und werden nur jetzt angezeigt.',
  linkOf: (email) => `Link für ${email}`,
  copyLink: 'Link kopieren',
  copyLinkOf: (email) => `Link für ${email} kopieren`,
  copyAll: 'Alle kopieren',
  refusedFor: (email, why) => `${email}: ${why}`,
  pending: 'Einladungen',
  invitedColumns: ['Eingeladen', 'E-Mail', 'Rolle', 'Läuft ab', 'Aktionen'],
  pendingBy: (name) => `von ${name}`,
  resend: 'Neuer Link',
  resendOf: (email) => `Neuen Link für ${email} erstellen`,
  withdraw: 'Widerrufen',
  withdrawOf: (email) => `Einladung für ${email} widerrufen`,
  withdrawn: (email) => `Einladung für ${email} widerrufen`,
}
