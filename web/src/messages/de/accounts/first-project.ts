import type { firstProjectMessages } from '../../accounts/first-project.ts'

export const germanFirstProject: typeof firstProjectMessages = {
  title: 'Ihr erstes Projekt',
  why: 'Jede Aufgabe gehört zu einem Projekt. Weitere Projekte und Personen können Sie jederzeit hinzufügen.',
  name: 'Projektname',
  emails: ['Per E-Mail einladen', 'Und noch jemanden'],
  emailsHint:
    'Freiwillig. Die Links der Einladungen können Sie unter Einstellungen → Mitglieder kopieren.',
  open: 'Projekt öffnen',
  later: 'Später',
}
