import type { m } from '../applications.ts'
import { plural } from '../plural.ts'

export const applications: typeof m = {
  why: 'Anwendungen von anderen oder eigene, die für Personen handeln, wenn diese es erlauben. Jede Person sieht, was gefragt wird, und kann es beenden.',
  create: 'Neue Anwendung',
  columns: ['Secret', 'Name', 'Art', 'Offen für', 'Angelegt'],
  actionsColumn: 'Aktionen',
  list: 'Anwendungen',
  empty: 'Noch ist keine Anwendung registriert.',
  hint: (last) => `…${last}`,
  noSecret: 'keines',
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
        ? 'Niemand hier erlaubt ihr etwas.'
        : plural(count, {
            one: '# Autorisierung hier endet mit der nächsten Anfrage.',
            other: '# Autorisierungen hier enden mit der nächsten Anfrage.',
          }),
      everywhere && 'Die in anderen Workspaces enden ebenfalls.',
      'Ihre Client-ID gilt danach nie wieder. Das lässt sich nicht rückgängig machen.',
    ]
      .filter(Boolean)
      .join(' '),
  removed: (name) => `${name} gelöscht`,

  formNew: 'Neue Anwendung',
  formEdit: (name) => `${name} ändern`,
  name: 'Name',
  nameHint: 'Personen lesen ihn, wenn sie gefragt werden.',
  about: 'Beschreibung',
  aboutHint: 'Ein Satz, den sie ebenfalls sehen.',
  homepage: 'Website',
  homepageHint: 'Ihr Host wird bei der Frage gezeigt.',
  kind: 'Art',
  kindChoices: { confidential: 'Vertraulich', public: 'Öffentlich' },
  kindHints: {
    confidential: 'Sie läuft auf einem Server und kann ein Secret hüten.',
    public:
      'Sie läuft, wo jeder sie lesen kann: im Browser, auf dem Telefon, auf dem Schreibtisch. Kein Secret.',
  },
  kindFixed: (kind) => `Sie ist ${kind}; das ändert sich nie.`,
  redirects: 'Kehrt zurück zu',
  redirect: (n) => `Redirect-URI ${n}`,
  redirectsHint:
    'Zeichen für Zeichen verglichen: https, oder http auf diesem Rechner. Keine Platzhalter, nichts nach #.',
  redirectsPublic:
    'Auf 127.0.0.1 und [::1] passt jeder Port. Ein eigenes Schema braucht einen Punkt: com.example.app:/done.',
  addRedirect: 'Weitere Adresse',
  removeRedirect: (n) => `Redirect-URI ${n} entfernen`,
  distribution: 'Offen für',
  distributions: {
    private: 'Personen dieses Workspace, für diesen Workspace',
    public: 'Alle in dieser Installation, für jeden ihrer Workspaces',
  },
  scopesHint:
    'Das Äußerste, worum sie bitten darf. Löschen ist getrennt, damit es verwehrt werden kann.',
  noScope: 'Wählen Sie mindestens eine Berechtigung.',
  createDo: 'Registrieren',
  saved: 'Anwendung gespeichert',
  made: (name) => `${name} registriert`,

  ready: (name) => `${name} ist registriert. Hier ist das Secret.`,
  rotatedReady: (name) => `${name} hat ein neues Secret.`,
  stays: 'bleibt',
  copySecret: 'Secret kopieren',
  copyExample: 'Befehle kopieren',
  secretWhy:
    'Damit weist sich die Anwendung aus. Es lässt sich nicht wieder zeigen; Erneuern gibt ein anderes. Diese Befehle probieren es einmal durch:',
  secretFirst: 'Kopieren Sie zuerst das Secret.',
  uncopiedTitle: 'Das Secret ist nicht kopiert',
  uncopiedWhy: 'Es lässt sich nicht wieder zeigen. Ohne Kopie hilft nur ein neues.',
  leave: 'Ohne es verlassen',
  rotate: 'Secret erneuern',
  rotateTitle: (name) => `${name} ein neues Secret geben?`,
  rotateWhy:
    'Das alte endet sofort: Die Anwendung kann ihren Zugang erst mit dem neuen verlängern. Was Personen erlaubt haben, bleibt.',
  isPublic: 'Eine öffentliche Anwendung hat kein Secret.',

  connect: (name) => `Wie ${name} sich verbindet`,
  clientId: 'Client-ID',
  scopes: 'Darf bitten um',
  authorize: 'Autorisieren',
  token: 'Token',
  metadata: 'Metadaten',
  example: 'Ausprobieren',
  exampleSteps: {
    open: 'Öffnen Sie im Browser, was dies ausgibt',
    exchange: 'Nach dem Erlauben: den Code aus der Adresse für CODE einsetzen',
  },

  grants: 'Autorisierungen',
  grantColumns: ['Seit', 'Person', 'Berechtigungen', 'Zuletzt benutzt'],
  noGrants: 'Noch erlaubt ihr niemand hier etwas.',
  neverUsed: 'noch nicht benutzt',

  own: 'Autorisierte Anwendungen',
  ownWhy:
    'Sie handeln in diesem Workspace für Sie, im Rahmen dieser Berechtigungen, bis Sie es widerrufen.',
  ownColumns: ['Seit', 'Anwendung', 'Berechtigungen', 'Zuletzt benutzt'],
  ownNone: 'Sie erlauben keiner Anwendung, für Sie zu handeln.',
  revoke: 'Widerrufen',
  revokeOf: (name) => `${name} widerrufen`,
  revokeTitle: (name) => `${name} widerrufen?`,
  revokeWhy:
    'Der Zugang endet innerhalb einer Sekunde. Das lässt sich nicht rückgängig machen: Um wieder für Sie zu handeln, muss die Anwendung neu fragen.',
  revoked: (name) => `${name} widerrufen`,
}
