import { plural } from '../../plural.ts'
import type { applicationMessages } from '../../settings/applications.ts'

export const germanApplications: typeof applicationMessages = {
  why: 'OAuth-Anwendungen handeln für Personen, die sie autorisieren. Alle sehen, worum eine Anwendung bittet, und können sie jederzeit widerrufen.',
  create: 'Neue Anwendung',
  columns: ['Secret', 'Name', 'Typ', 'Verfügbar für', 'Erstellt'],
  actionsColumn: 'Aktionen',
  list: 'Anwendungen',
  empty:
    'Noch keine Anwendungen. Registrieren Sie eine, damit Personen sich bei ihr anmelden und Daten freigeben können.',
  hint: (last) => `…${last}`,
  noSecret: 'Keines',
  kinds: { confidential: 'vertraulich', public: 'öffentlich' },
  openTo: { private: 'diesen Workspace', public: 'alle Workspaces' },
  moreFor: (name) => `Mehr zu ${name}`,
  open: 'Anzeigen',
  edit: 'Bearbeiten',
  copyId: 'Client-ID kopieren',
  idCopied: 'Client-ID kopiert',
  remove: 'Löschen',
  removeTitle: (name) => `${name} löschen?`,
  removeWhy: (count, everywhere) =>
    [
      count === 0
        ? 'In diesem Workspace hat sie niemand autorisiert.'
        : plural(count, {
            one: '# Autorisierung in diesem Workspace wird widerrufen.',
            other: '# Autorisierungen in diesem Workspace werden widerrufen.',
          }),
      everywhere && 'Autorisierungen in anderen Workspaces werden ebenfalls widerrufen.',
      'Die Client-ID gilt danach nicht mehr. Das lässt sich nicht rückgängig machen.',
    ]
      .filter(Boolean)
      .join(' '),
  removed: (name) => `${name} gelöscht`,

  formNew: 'Neue Anwendung',
  formEdit: (name) => `${name} bearbeiten`,
  name: 'Name',
  nameHint: 'Personen sehen ihn, wenn sie die Anwendung autorisieren.',
  about: 'Beschreibung',
  aboutHint: 'Ein Satz über die Anwendung. Personen sehen auch ihn.',
  homepage: 'Website',
  homepageHint: 'Personen sehen den Hostnamen, wenn sie die Anwendung autorisieren.',
  kind: 'Typ',
  kindChoices: { confidential: 'Vertraulich', public: 'Öffentlich' },
  kindHints: {
    confidential: 'Läuft auf einem Server und kann ein Secret geheim halten.',
    public: 'Läuft im Browser, auf dem Telefon oder auf dem Desktop. Hat kein Secret.',
  },
  kindFixed: (kind) => `Diese Anwendung ist ${kind}. Der Typ lässt sich nicht ändern.`,
  redirects: 'Redirect-URIs',
  redirect: (n) => `Redirect-URI ${n}`,
  redirectsHint:
    'Muss genau übereinstimmen. Verwenden Sie https, oder http für diesen Computer. Keine Platzhalter und kein Fragment (#).',
  redirectsPublic:
    'Bei 127.0.0.1, [::1] und localhost passt jeder Port. Ein eigenes Schema braucht einen Punkt, etwa com.example.app:/done.',
  addRedirect: 'Redirect-URI hinzufügen',
  removeRedirect: (n) => `Redirect-URI ${n} entfernen`,
  distribution: 'Verfügbar für',
  distributions: {
    private: 'Nur Personen in diesem Workspace',
    public: 'Alle in dieser Installation, in jedem ihrer Workspaces',
  },
  scopesHint: 'Berechtigungen, um die sie bitten darf. Löschen ist eine eigene Berechtigung.',
  noScope: 'Wählen Sie mindestens eine Berechtigung.',
  createDo: 'Anwendung registrieren',
  saved: 'Anwendung gespeichert',
  made: (name) => `${name} registriert`,

  ready: (name) => `${name} ist registriert. Kopieren Sie das Secret jetzt.`,
  rotatedReady: (name) => `${name} hat ein neues Secret. Kopieren Sie es jetzt.`,
  stays: 'bleibt in der Liste',
  copySecret: 'Secret kopieren',
  copyExample: 'Befehle kopieren',
  secretWhy:
    'Mit dem Secret weist sich die Anwendung aus. Sie sehen es nicht wieder; erneuern Sie es, um ein neues zu erhalten. Testen Sie es mit diesen Befehlen:',
  secretFirst: 'Kopieren Sie zuerst das Secret.',
  uncopiedTitle: 'Verlassen, ohne das Secret zu kopieren?',
  uncopiedWhy: 'Sie sehen es nicht wieder. Bei Verlust erneuern Sie es.',
  leave: 'Ohne Kopie verlassen',
  rotate: 'Secret erneuern',
  rotateTitle: (name) => `Secret von ${name} erneuern?`,
  rotateWhy:
    'Das alte Secret gilt sofort nicht mehr; die Anwendung kann ihren Zugriff erst mit dem neuen verlängern. Bestehende Autorisierungen bleiben.',
  isPublic: 'Öffentliche Anwendungen haben kein Secret.',

  connect: (name) => `${name} verbinden`,
  clientId: 'Client-ID',
  scopes: 'Berechtigungen',
  authorize: 'Autorisieren',
  token: 'Token',
  metadata: 'Metadaten',
  example: 'Ausprobieren',
  exampleSteps: {
    open: 'Öffnen Sie die ausgegebene Adresse im Browser',
    exchange: 'Ersetzen Sie nach dem Erlauben CODE durch den Code aus der Adresse',
  },

  grants: 'Autorisierungen',
  grantColumns: ['Seit', 'Person', 'Berechtigungen', 'Zuletzt benutzt'],
  noGrants: 'In diesem Workspace hat sie noch niemand autorisiert.',
  neverUsed: 'Nie benutzt',

  own: 'Autorisierte Anwendungen',
  ownWhy:
    'Diese Anwendungen handeln in diesem Workspace für Sie, im Rahmen dieser Berechtigungen, bis Sie sie widerrufen.',
  ownColumns: ['Seit', 'Anwendung', 'Berechtigungen', 'Zuletzt benutzt'],
  ownNone: 'Keine autorisierten Anwendungen',
  revoke: 'Widerrufen',
  revokeOf: (name) => `${name} widerrufen`,
  revokeTitle: (name) => `${name} widerrufen?`,
  revokeWhy:
    'Der Zugriff endet sofort. Um wieder für Sie zu handeln, muss die Anwendung Sie erneut fragen.',
  revoked: (name) => `${name} widerrufen`,
}
